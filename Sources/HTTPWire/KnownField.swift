import Bytes

/// A field that the gate uses. All other fields are forwarded by name.
public enum KnownField: UInt8, Sendable, Hashable, CaseIterable {
    case host
    case contentLength
    case transferEncoding
    case connection
    case proxyConnection
    case keepAlive
    case te
    case trailer
    case upgrade
    case via
    case expect
    case userAgent
    case proxyAuthorization
    case proxyAuthenticate
    case proxyAuthenticationInfo
    case http2Settings
    case accept
    case acceptEncoding
    case acceptLanguage
    case authorization
    case cacheControl
    case contentEncoding
    case contentType
    case cookie
    case date
    case eTag
    case expires
    case forwarded
    case lastModified
    case location
    case maxForwards
    case origin
    case range
    case referer
    case server
    case setCookie
    case strictTransportSecurity
    case vary
    case wwwAuthenticate
    case xForwardedFor
    case altSvc
    case secWebSocketKey
    case secWebSocketAccept
    case secWebSocketVersion
    case secWebSocketProtocol
    case secWebSocketExtensions

    /// The usual spelling of the name.
    public var name: StaticString {
        switch self {
        case .host: "Host"
        case .contentLength: "Content-Length"
        case .transferEncoding: "Transfer-Encoding"
        case .connection: "Connection"
        case .proxyConnection: "Proxy-Connection"
        case .keepAlive: "Keep-Alive"
        case .te: "TE"
        case .trailer: "Trailer"
        case .upgrade: "Upgrade"
        case .via: "Via"
        case .expect: "Expect"
        case .userAgent: "User-Agent"
        case .proxyAuthorization: "Proxy-Authorization"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .proxyAuthenticationInfo: "Proxy-Authentication-Info"
        case .http2Settings: "HTTP2-Settings"
        case .accept: "Accept"
        case .acceptEncoding: "Accept-Encoding"
        case .acceptLanguage: "Accept-Language"
        case .authorization: "Authorization"
        case .cacheControl: "Cache-Control"
        case .contentEncoding: "Content-Encoding"
        case .contentType: "Content-Type"
        case .cookie: "Cookie"
        case .date: "Date"
        case .eTag: "ETag"
        case .expires: "Expires"
        case .forwarded: "Forwarded"
        case .lastModified: "Last-Modified"
        case .location: "Location"
        case .maxForwards: "Max-Forwards"
        case .origin: "Origin"
        case .range: "Range"
        case .referer: "Referer"
        case .server: "Server"
        case .setCookie: "Set-Cookie"
        case .strictTransportSecurity: "Strict-Transport-Security"
        case .vary: "Vary"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .xForwardedFor: "X-Forwarded-For"
        case .altSvc: "Alt-Svc"
        case .secWebSocketKey: "Sec-WebSocket-Key"
        case .secWebSocketAccept: "Sec-WebSocket-Accept"
        case .secWebSocketVersion: "Sec-WebSocket-Version"
        case .secWebSocketProtocol: "Sec-WebSocket-Protocol"
        case .secWebSocketExtensions: "Sec-WebSocket-Extensions"
        }
    }

    /// One bit per field, by which blocks remember their fields.
    var bit: UInt64 { 1 &<< UInt64(rawValue) }
}

/// Finds the known field for a name, ignoring case and without allocating text. A small hash table over the first eight
/// bytes and the length, built once from the names of ``KnownField``.
struct FieldNameTable: Sendable {
    static let shared = FieldNameTable()

    /// Raw values of known fields, or `emptySlot`. A collision uses the next free slot.
    private var slots = [UInt8](repeating: emptySlot, count: slotCount)
    /// Four words for each known field: its name in lower case, padded with zeros.
    private var names: [UInt64] = []

    private init() {
        for field in KnownField.allCases {
            let text = UnsafeRawBufferPointer(start: field.name.utf8Start, count: field.name.utf8CodeUnitCount)
            let name = ByteView(text)
            for part in 0..<Self.wordsPerName { names.append(Self.word(part, of: name, at: 0, count: text.count)) }
            var slot = Self.slot(Self.word(0, of: name, at: 0, count: text.count), text.count)
            while slots[slot] != Self.emptySlot { slot = (slot + 1) % Self.slotCount }
            slots[slot] = field.rawValue
        }
    }

    /// Returns the raw value of the field that the `count` bytes at `start` name, or ``FieldRecord/noField``.
    ///
    /// Finds only tokens, because all names are tokens.
    func code(in view: ByteView, at start: Int, count: Int) -> UInt8 {
        guard count > 0, count <= Self.longestName else { return FieldRecord.noField }
        let first = Self.word(0, of: view, at: start, count: count)
        var slot = Self.slot(first, count)
        while true {
            let code = slots[slot]
            guard code != Self.emptySlot else { return FieldRecord.noField }
            if isName(code, first, view, start, count) { return code }
            slot = (slot &+ 1) % Self.slotCount
        }
    }

    @inline(__always)
    private func isName(_ code: UInt8, _ first: UInt64, _ view: ByteView, _ start: Int, _ count: Int) -> Bool {
        let base = Int(code) &* Self.wordsPerName
        // A known name contains no zero byte, so names of different length differ in the first word or the next.
        guard names[base] == first, names[base &+ 1] == Self.word(1, of: view, at: start, count: count) else {
            return false
        }
        return count <= 16 ? names[base &+ 2] == 0 : isLongName(base, view, start, count)
    }

    @inline(never)
    private func isLongName(_ base: Int, _ view: ByteView, _ start: Int, _ count: Int) -> Bool {
        names[base + 2] == Self.word(2, of: view, at: start, count: count)
            && names[base + 3] == Self.word(3, of: view, at: start, count: count)
    }

    /// Returns the bytes of a name from `8 * part` on in lower case, with zeros past its end.
    @inline(__always)
    private static func word(_ part: Int, of view: ByteView, at start: Int, count: Int) -> UInt64 {
        let left = count &- 8 &* part
        guard left > 0 else { return 0 }
        let offset = start &+ 8 &* part
        let mask = left >= 8 ? UInt64.max : (1 &<< UInt64(8 &* left)) &- 1
        let word = offset &+ 8 <= view.count ? view.word(at: offset) : lastWord(of: view, from: offset)
        return folded(word) & mask
    }

    /// Returns the word at the very end of a view, with fewer than eight bytes left.
    @inline(never)
    private static func lastWord(of view: ByteView, from offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in offset..<view.count { word |= UInt64(view[index]) &<< UInt64(8 &* (index &- offset)) }
        return word
    }

    /// Returns the word in lower case. Bytes below 0x40 stay as they are: a CR must not become a hyphen.
    @inline(__always)
    private static func folded(_ word: UInt64) -> UInt64 { word | (word & Ascii.spread(0x40)) &>> 1 }

    @inline(__always)
    private static func slot(_ first: UInt64, _ count: Int) -> Int {
        let mixed = (first ^ UInt64(truncatingIfNeeded: count)) &* multiplier
        return Int(truncatingIfNeeded: mixed &>> 56)
    }

    private static let wordsPerName = 4
    private static let longestName = 32
    private static let slotCount = 256
    private static let emptySlot = FieldRecord.noField
    /// Fibonacci hashing: 2^64 divided by the golden ratio.
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
}
