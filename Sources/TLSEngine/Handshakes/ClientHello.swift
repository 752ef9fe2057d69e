public import ATSPolicy
import Bytes
internal import COpenSSL
import Text

/// The parts of a client's hello that a decision depends on. Source: RFC 8446 section 4.1.2.
public struct ClientHello: Sendable, Hashable {
    public var serverName: ServerName
    /// Protocols in the client's order (RFC 7301 section 3.1).
    public var alpn: [String]
    /// True if the hello has an encrypted_client_hello extension. It may contain another server name, or nothing, as in the
    /// GREASE form (draft-ietf-tls-esni-25 section 6.2; section 11.1 for the extension's number).
    public var isEncrypted = false

    public init(serverName: ServerName, alpn: [String]) {
        self.serverName = serverName
        self.alpn = alpn
    }
}

/// The server name in a hello. Source: RFC 6066 section 3.
public enum ServerName: Sendable, Hashable {
    /// The hello has no server_name extension.
    case absent
    /// The name as sent: printable ASCII without spaces.
    case name(String)
    /// The extension contains anything but one such host name. Servers differ in how they read it.
    case unreadable

    /// The name; nil if there is none.
    public var text: String? {
        if case .name(let name) = self { name } else { nil }
    }
}

extension ClientHello {
    /// Reads the hello. Call it only from OpenSSL's client hello callback.
    init(during connection: OpaquePointer?) {
        self.init(
            serverName: Self.body(of: TLSEXT_TYPE_server_name, connection),
            protocols: Self.body(of: TLSEXT_TYPE_application_layer_protocol_negotiation, connection))
        isEncrypted = Self.body(of: Self.encryptedClientHello, connection) != nil
    }

    /// Makes a hello from the bodies of its extensions; nil for missing ones.
    init(serverName: [UInt8]?, protocols: [UInt8]?) {
        self.init(
            serverName: serverName.map { ServerName(in: $0) } ?? .absent,
            alpn: protocols.map(Self.protocols(in:)) ?? [])
    }

    static let encryptedClientHello: UInt32 = 0xFE0D

    private static func body(of type: UInt32, _ connection: OpaquePointer?) -> [UInt8]? {
        body(of: Int32(type), connection)
    }

    private static func body(of type: Int32, _ connection: OpaquePointer?) -> [UInt8]? {
        var start: UnsafePointer<UInt8>?
        var length = 0
        guard SSL_client_hello_get0_ext(connection, UInt32(type), &start, &length) == 1, let start else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: length))
    }

    /// Reads a list with a 16-bit length, whose names have 8-bit lengths; only the names before a malformed one.
    private static func protocols(in body: [UInt8]) -> [String] {
        var cursor = WireCursor(body)
        var names: [String] = []
        guard cursor.take(2) != nil else { return [] }
        while let name = cursor.sized(by: 1), !name.isEmpty { names.append(String(decoding: name, as: UTF8.self)) }
        return names
    }
}

extension ServerName {
    /// Reads the extension: a list with a 16-bit length and one entry, of type 0 and with a 16-bit length. Servers differ
    /// in how they read several entries, or other types before it.
    init(in body: [UInt8]) {
        var cursor = WireCursor(body)
        guard let list = cursor.sized(by: 2), cursor.isAtEnd else {
            self = .unreadable
            return
        }
        cursor = WireCursor(list)
        guard cursor.number(bytes: 1) == 0, let name = cursor.sized(by: 2), cursor.isAtEnd, !name.isEmpty,
            name.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            self = .unreadable
            return
        }
        self = .name(String(decoding: name, as: UTF8.self))
    }
}

/// Reads a hello without OpenSSL.
extension ClientHello {
    /// Reads bytes that are exactly one record with one hello of the usual form; nil for all others, some of which OpenSSL
    /// may accept. OpenSSL accepts all that this accepts, with the same result. Source: RFC 8446 sections 4.1.2, 4.2 and
    /// 5.1.
    public init?(alone bytes: UnsafeRawBufferPointer) {
        var cursor = WireCursor(Array(bytes))
        guard cursor.number(bytes: 1) == Self.handshake, cursor.number(bytes: 1) == 3, cursor.number(bytes: 1) != nil,
            let record = cursor.sized(by: 2), cursor.isAtEnd, record.count <= TLSMachine.recordBytes
        else { return nil }
        cursor = WireCursor(record)
        guard cursor.number(bytes: 1) == Self.clientHello, let body = cursor.sized(by: 3), cursor.isAtEnd else {
            return nil
        }
        cursor = WireCursor(body)
        guard let legacy = cursor.number(bytes: 2), Self.legacyVersions ~= legacy, cursor.take(32) != nil,
            let session = cursor.sized(by: 1), session.count <= 32,
            let suites = cursor.sized(by: 2), !suites.isEmpty, suites.count.isMultiple(of: 2),
            let compressions = cursor.sized(by: 1), !compressions.isEmpty,
            let extensions = cursor.sized(by: 2), cursor.isAtEnd, let asked = AskedExtensions(extensions)
        else { return nil }
        self.init(serverName: asked.serverName, protocols: asked.protocols)
        isEncrypted = asked.isEncrypted
    }

    private static let handshake = 22
    private static let clientHello = 1
    /// TLS 1.0 to 1.2.
    private static let legacyVersions = 0x0301...0x0303
}

/// The extensions that a decision depends on.
private struct AskedExtensions {
    private(set) var serverName: [UInt8]?
    private(set) var protocols: [UInt8]?
    private(set) var isEncrypted = false

    /// nil if an extension is repeated, or if OpenSSL treats it in a special way.
    init?(_ list: ArraySlice<UInt8>) {
        var cursor = WireCursor(list)
        var low: UInt64 = 0
        var high: [Int] = []
        while !cursor.isAtEnd {
            guard let type = cursor.number(bytes: 2), let body = cursor.sized(by: 2), !Self.others.contains(type) else {
                return nil
            }
            if type < UInt64.bitWidth {
                guard low & 1 << UInt64(type) == 0 else { return nil }
                low |= 1 << UInt64(type)
            } else {
                guard !high.contains(type) else { return nil }
                high.append(type)
            }
            switch type {
            case 0: serverName = Array(body)
            case 16: protocols = Array(body)
            case Int(ClientHello.encryptedClientHello): isEncrypted = true
            // pre_shared_key must be the last (RFC 8446 section 4.2.11).
            case 41: guard cursor.isAtEnd else { return nil }
            default: break
            }
        }
    }

    /// Extensions of DTLS and of Russian suites. OpenSSL accepts the first only in DTLS, the second only from servers.
    private static let others = [14, 0xFDE8]
}

/// Reads big-endian numbers and length-prefixed parts of a byte array, never past its end. Source: RFC 8446 section 3.
struct WireCursor {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    var isAtEnd: Bool { index == bytes.endIndex }

    /// Returns the next `count` bytes; nil if fewer are left.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.endIndex - index else { return nil }
        defer { index += count }
        return bytes[index..<index + count]
    }

    /// A number of up to four bytes.
    mutating func number(bytes count: Int) -> Int? {
        guard count <= bytes.endIndex - index else { return nil }
        var number = 0
        for _ in 0..<count {
            number = number << 8 | Int(bytes[index])
            index += 1
        }
        return number
    }

    /// Returns the bytes after a length prefix of `bytes` bytes.
    mutating func sized(by bytes: Int) -> ArraySlice<UInt8>? { number(bytes: bytes).flatMap { take($0) } }

    /// Returns a list of extensions, each once; nil if it is malformed, empty if no bytes are left. Source: RFC 8446
    /// section 4.2.
    mutating func extensions() -> [Int: [UInt8]]? {
        if isAtEnd { return [:] }
        guard let list = sized(by: 2), isAtEnd else { return nil }
        var entries = WireCursor(list)
        var found: [Int: [UInt8]] = [:]
        while !entries.isAtEnd {
            guard let type = entries.number(bytes: 2), let body = entries.sized(by: 2),
                found.updateValue(Array(body), forKey: type) == nil
            else { return nil }
        }
        return found
    }
}

/// Reads the values of a ClientHello, however it is split over records. Source: RFC 8446 sections 4.1.2, 4.2 and 5.1.
extension HelloContent {
    /// Reads a client's first bytes. Allocates nothing but the lists, and a copy of a hello that is in several records.
    ///
    /// - Parameter records: TLS records; bytes after the hello are ignored.
    /// - Returns: nil if the hello is malformed or incomplete.
    public init?(records: UnsafeRawBufferPointer) {
        let view = ByteView(records)
        if let message = Self.message(in: view) {
            self.init(message: ByteView(message))
        } else if Self.length(of: view) > Self.longestMessage {
            self = .tooLong
        } else if let joined = Self.joined(view) {
            let read = joined.withUnsafeBytes { HelloContent(message: ByteView($0).dropFirst(4)) }
            guard let read else { return nil }
            self = read
        } else {
            return nil
        }
    }

    /// The body of a hello that is in one record; nil for all others.
    private static func message(in view: ByteView) -> UnsafeRawBufferPointer? {
        guard view.count >= headersBytes, view[0] == handshake, view[5] == clientHello else { return nil }
        let length = Int(view[6]) << 16 | view.number16(at: 7)
        guard length + 4 <= view.number16(at: 3), headersBytes + length <= view.count else { return nil }
        return view.slice(headersBytes..<headersBytes + length)
    }

    /// The length of a hello in several records; 0 if its first record is too short to show it.
    private static func length(of view: ByteView) -> Int {
        guard view.count >= headersBytes, view[0] == handshake, view[5] == clientHello, view.number16(at: 3) >= 4
        else { return 0 }
        return Int(view[6]) << 16 | view.number16(at: 7)
    }

    /// The handshake message of a hello in several records, joined.
    private static func joined(_ view: ByteView) -> [UInt8]? {
        var message: [UInt8] = []
        message.reserveCapacity(view.count)
        var index = 0
        while index + recordHeaderBytes <= view.count, view[index] == handshake {
            let start = index + recordHeaderBytes
            let end = start + view.number16(at: index + 3)
            guard end > start, end <= view.count else { return nil }
            message.append(contentsOf: view.slice(start..<end))
            index = end
            guard message.count >= 4 else { continue }
            guard message[0] == clientHello else { return nil }
            let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
            guard message.count >= length + 4 else { continue }
            message.removeLast(message.count - length - 4)
            return message
        }
        return nil
    }

    private init?(message view: ByteView) {
        var cursor = HelloCursor(view)
        guard let legacy = cursor.number16(), cursor.skip(randomBytes), cursor.part(lengthBytes: 1) != nil,
            let suites = cursor.part(lengthBytes: 2), cursor.part(lengthBytes: 1) != nil
        else { return nil }
        // A hello may end here (RFC 5246 section 7.4.1.2).
        let extensions = cursor.isAtEnd ? 0..<0 : cursor.part(lengthBytes: 2)
        guard let extensions, cursor.isAtEnd else { return nil }
        self.init(legacyVersion: legacy, capacity: min(view.count / 2, Self.usualValues))
        add(HelloCursor(view, suites), to: .suites)
        guard readExtensions(HelloCursor(view, extensions), of: view) else { return nil }
    }

    /// Notes the place of each list first, because the types of all extensions are stored before any body.
    private mutating func readExtensions(_ extensions: HelloCursor, of view: ByteView) -> Bool {
        var cursor = extensions
        var bodies = HelloBodies()
        // A hello that is cut has no reading, so the rest is not read.
        while !cursor.isAtEnd, !isCut {
            guard let type = cursor.number16(), let body = cursor.part(lengthBytes: 2) else { return false }
            add(type, to: .extensions)
            bodies.note(body, of: type)
        }
        add(HelloCursor(view, bodies.groups).list(lengthBytes: 2), to: .groups)
        var shares = HelloCursor(view, bodies.shares).list(lengthBytes: 2)
        while let group = shares.number16(), shares.part(lengthBytes: 2) != nil { add(group, to: .shares) }
        add(HelloCursor(view, bodies.signatures).list(lengthBytes: 2), to: .signatures)
        add(HelloCursor(view, bodies.versions).list(lengthBytes: 1), to: .versions)
        add(HelloCursor(view, bodies.compressions).list(lengthBytes: 1), to: .compressions)
        var protocols = HelloCursor(view, bodies.protocols).list(lengthBytes: 2)
        if let first = protocols.part(lengthBytes: 1), !first.isEmpty {
            protocolMark = Self.mark(view[first.lowerBound], view[first.upperBound - 1])
        }
        return true
    }

    private mutating func add(_ list: HelloCursor, to name: List) {
        var list = list
        while !isCut, let value = list.number16() { add(value, to: name) }
    }

    /// JA4's two characters for a protocol: its first and last letter or digit, otherwise those of its hexadecimal form.
    private static func mark(_ first: UInt8, _ last: UInt8) -> UInt16 {
        if first.isAlphanumeric, last.isAlphanumeric { return UInt16(first) << 8 | UInt16(last) }
        let digits = Array([first, last].hexadecimal.utf8)
        return UInt16(digits[0]) << 8 | UInt16(digits[3])
    }

    private static let handshake: UInt8 = 22
    private static let clientHello: UInt8 = 1
    private static let recordHeaderBytes = 5
    /// The headers of the record and of the handshake message.
    private static let headersBytes = 9
    /// A usual hello with 16 KiB of padding is shorter. A longer one would cost more than its handshake.
    private static let longestMessage = 20_480
    /// The values of Apple's hellos: 20 suites, 16 extensions, 5 groups, 3 shares, 11 signatures, 4 versions.
    private static let usualValues = 80
}

private let randomBytes = 32

/// The places of the extensions whose values are kept; empty for missing ones. Numbers: IANA, TLS ExtensionType Values.
private struct HelloBodies {
    private(set) var groups = 0..<0
    private(set) var shares = 0..<0
    private(set) var signatures = 0..<0
    private(set) var versions = 0..<0
    private(set) var compressions = 0..<0
    private(set) var protocols = 0..<0

    mutating func note(_ body: Range<Int>, of type: UInt16) {
        switch type {
        case 10: groups = body
        case 13: signatures = body
        case 16: protocols = body
        case 27: compressions = body
        case 43: versions = body
        case 51: shares = body
        default: break
        }
    }
}

/// Reads numbers and length-prefixed parts of a hello, never past the end of its range.
private struct HelloCursor {
    private let view: ByteView
    private var index: Int
    private let end: Int

    init(_ view: ByteView) { self.init(view, 0..<view.count) }

    init(_ view: ByteView, _ range: Range<Int>) {
        self.view = view
        (index, end) = (range.lowerBound, range.upperBound)
    }

    var isAtEnd: Bool { index == end }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= end - index else { return false }
        index += count
        return true
    }

    mutating func number16() -> UInt16? {
        guard end - index >= 2 else { return nil }
        defer { index += 2 }
        return UInt16(view.number16(at: index))
    }

    /// The place of a part after its length of one or two bytes; nil if the part is not whole.
    mutating func part(lengthBytes: Int) -> Range<Int>? {
        guard end - index >= lengthBytes else { return nil }
        let length = lengthBytes == 1 ? Int(view[index]) : view.number16(at: index)
        let start = index + lengthBytes
        guard length <= end - start else { return nil }
        index = start + length
        return start..<index
    }

    /// A cursor over the list after its length; an empty one if the list is not whole.
    func list(lengthBytes: Int) -> HelloCursor {
        var cursor = self
        return HelloCursor(view, cursor.part(lengthBytes: lengthBytes) ?? 0..<0)
    }
}

/// The JA4 fingerprint. Source: FoxIO-LLC/ja4.
extension HelloContent {
    /// For example `t13d2014h2_a09f3c656075_e42f34c56612`; nil if a list is too long to be kept.
    public var ja4: String? {
        guard !isCut else { return nil }
        let types = self[.extensions]
        let name = types.contains(Self.serverName) ? "d" : "i"
        let head = "t\(ja4Version)\(name)\(Self.two(self[.suites].count))\(Self.two(types.count))\(ja4Protocol)"
        let named = types.filter { $0 != Self.serverName && $0 != Self.protocolNegotiation }.sorted()
        var last = Self.text(named)
        if !self[.signatures].isEmpty { last += "_" + Self.text(self[.signatures]) }
        let lastPart = types.isEmpty ? Self.nothing : Self.digest(last)
        return "\(head)_\(ja4CipherPart)_\(lastPart)"
    }

    /// The middle part of ``ja4``, which depends on the set of suites only.
    public var ja4CipherPart: String {
        self[.suites].isEmpty ? Self.nothing : Self.digest(Self.text(self[.suites].sorted()))
    }

    private var ja4Version: String {
        switch offeredVersions.max() ?? 0 {
        case 0x0304: "13"
        case 0x0303: "12"
        case 0x0302: "11"
        case 0x0301: "10"
        case 0x0300: "s3"
        case 0x0002: "s2"
        default: "00"
        }
    }

    private var ja4Protocol: String {
        protocolMark == 0
            ? "00" : String(decoding: [UInt8(protocolMark >> 8), UInt8(protocolMark & 0xFF)], as: UTF8.self)
    }

    /// Two digits; the highest number is 99.
    private static func two(_ count: Int) -> String { count < 10 ? "0\(count)" : "\(min(count, 99))" }

    private static func text(_ values: some Sequence<UInt16>) -> String {
        values.map(\.hexadecimal).joined(separator: ",")
    }

    /// The first 12 hexadecimal digits of SHA-256.
    private static func digest(_ text: String) -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        let bytes = Array(text.utf8)
        SHA256(bytes, bytes.count, &digest)
        return digest.prefix(6).hexadecimal
    }

    private static let serverName: UInt16 = 0
    private static let protocolNegotiation: UInt16 = 16
    private static let nothing = "000000000000"
}
