public import ATSPolicy
internal import COpenSSL

/// What a client asked for in its hello, as far as a decision about it needs. Source: RFC 8446 section 4.1.2.
public struct ClientHello: Sendable, Hashable {
    /// Host name of the server_name extension; nil when absent or malformed (RFC 6066 section 3).
    public var serverName: String?
    /// Protocols in the client's order (RFC 7301 section 3.1).
    public var alpn: [String]
    /// Versions offered, newest first; unknown numbers are left out.
    public var versions: [TLSVersion]

    public init(serverName: String?, alpn: [String], versions: [TLSVersion]) {
        self.serverName = serverName
        self.alpn = alpn
        self.versions = versions
    }
}

extension ClientHello {
    /// Reads the hello from inside OpenSSL's client hello callback; valid only there.
    init(during connection: OpaquePointer?) {
        let versions = Self.body(of: TLSEXT_TYPE_supported_versions, connection)
        let legacy = UInt16(truncatingIfNeeded: SSL_client_hello_get0_legacy_version(connection))
        self.init(
            serverName: Self.body(of: TLSEXT_TYPE_server_name, connection).flatMap(Self.serverName(in:)),
            alpn: Self.body(of: TLSEXT_TYPE_application_layer_protocol_negotiation, connection)
                .map(Self.protocols(in:)) ?? [],
            versions: versions.map(Self.versions(in:))
                ?? TLSVersion.allCases.reversed().filter {
                    $0.rawValue <= min(legacy, TLSVersion.tls12.rawValue)
                })
    }

    private static func body(of type: UInt32, _ connection: OpaquePointer?) -> [UInt8]? {
        body(of: Int32(type), connection)
    }

    private static func body(of type: Int32, _ connection: OpaquePointer?) -> [UInt8]? {
        var start: UnsafePointer<UInt8>?
        var length = 0
        guard SSL_client_hello_get0_ext(connection, UInt32(type), &start, &length) == 1, let start else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: length))
    }

    /// A list of 16-bit length, then entries of type 0 and 16-bit length; the first host name counts.
    private static func serverName(in body: [UInt8]) -> String? {
        guard body.count > 5, body[2] == 0 else { return nil }
        let length = Int(body[3]) << 8 | Int(body[4])
        guard length > 0, body.count >= 5 + length else { return nil }
        let name = body[5..<(5 + length)]
        return name.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? String(decoding: name, as: UTF8.self) : nil
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

    /// A list of 8-bit length, then 16-bit versions (RFC 8446 section 4.2.1); GREASE values drop out.
    private static func versions(in body: [UInt8]) -> [TLSVersion] {
        stride(from: 1, to: max(1, body.count - 1), by: 2)
            .compactMap { TLSVersion(rawValue: UInt16(body[$0]) << 8 | UInt16(body[$0 + 1])) }
            .sorted(by: >)
    }
}
