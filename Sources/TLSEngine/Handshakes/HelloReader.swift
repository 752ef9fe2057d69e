public import ATSPolicy
import Bytes
internal import COpenSSL

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
        let isText = isAlphanumeric(first) && isAlphanumeric(last)
        let one = isText ? first : hexadecimal[Int(first >> 4)]
        let two = isText ? last : hexadecimal[Int(last & 0xF)]
        return UInt16(one) << 8 | UInt16(two)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
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
        values.map { value in
            let text = String(value, radix: 16)
            return String(repeating: "0", count: 4 - text.utf8.count) + text
        }.joined(separator: ",")
    }

    /// The first 12 hexadecimal digits of SHA-256.
    private static func digest(_ text: String) -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        let bytes = Array(text.utf8)
        SHA256(bytes, bytes.count, &digest)
        return digest.prefix(6).map { byte in
            String(decoding: [hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 0xF)]], as: UTF8.self)
        }.joined()
    }

    private static let serverName: UInt16 = 0
    private static let protocolNegotiation: UInt16 = 16
    private static let nothing = "000000000000"
}
