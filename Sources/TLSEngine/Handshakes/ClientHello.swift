internal import COpenSSL

/// What a client asked for in its hello, as far as a decision about it needs. Source: RFC 8446 section 4.1.2.
public struct ClientHello: Sendable, Hashable {
    public var serverName: ServerName
    /// Protocols in the client's order (RFC 7301 section 3.1).
    public var alpn: [String]
    /// There is an encrypted_client_hello extension: another server name may be in it, or nothing at all, as in those
    /// that clients send for practice (draft-ietf-tls-esni-25 section 6.2, and 11.1 for its number).
    public var isEncrypted = false

    public init(serverName: ServerName, alpn: [String]) {
        self.serverName = serverName
        self.alpn = alpn
    }
}

/// What a hello says of the server that it is meant for. Source: RFC 6066 section 3.
public enum ServerName: Sendable, Hashable {
    /// There is no server_name extension.
    case absent
    /// Byte for byte; no blanks, printable ASCII only.
    case name(String)
    /// The extension holds anything but one host name of that kind. What a server makes of it, nobody knows.
    case unreadable

    /// nil where none can be read.
    public var text: String? {
        if case .name(let name) = self { name } else { nil }
    }
}

extension ClientHello {
    /// Reads the hello from inside OpenSSL's client hello callback; valid only there.
    init(during connection: OpaquePointer?) {
        self.init(
            serverName: Self.body(of: TLSEXT_TYPE_server_name, connection),
            protocols: Self.body(of: TLSEXT_TYPE_application_layer_protocol_negotiation, connection))
        isEncrypted = Self.body(of: Self.encryptedClientHello, connection) != nil
    }

    /// Of the bodies of its extensions; nil for those that are not there.
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

    /// A list of 16-bit length, then names of 8-bit length.
    private static func protocols(in body: [UInt8]) -> [String] {
        var names: [String] = []
        var index = 2
        while index < body.count {
            let end = index + 1 + Int(body[index])
            guard end <= body.count, end > index + 1 else { break }
            names.append(String(decoding: body[(index + 1)..<end], as: UTF8.self))
            index = end
        }
        return names
    }
}

extension ServerName {
    /// Reads the extension: a list of 16-bit length with one entry, of type 0 and 16-bit length. Servers differ in what
    /// they make of several entries, or of other types before it.
    init(in body: [UInt8]) {
        let name = body.dropFirst(5)
        func number(at index: Int) -> Int { Int(body[index]) << 8 | Int(body[index + 1]) }
        guard !name.isEmpty, number(at: 0) == body.count - 2, body[2] == 0, number(at: 3) == name.count,
            name.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            self = .unreadable
            return
        }
        self = .name(String(decoding: name, as: UTF8.self))
    }
}
