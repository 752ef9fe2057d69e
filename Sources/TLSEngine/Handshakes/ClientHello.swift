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
