internal import COpenSSL

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
