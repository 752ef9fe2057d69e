public import ATSPolicy
internal import COpenSSL

/// The TLS settings of a lab origin. Weak settings work: the security level is 0.
public struct ServerTLSSettings: Sendable {
    /// The leaf and its key.
    public var identity: SigningIdentity
    /// Certificates sent after the leaf, in order; omit one for an incomplete chain.
    public var intermediates: [Certificate]
    public var minimum: TLSVersion
    public var maximum: TLSVersion
    /// TLS 1.2 and older suites in the format of openssl-ciphers(1), in the server's preference.
    public var cipherList: String
    /// TLS 1.3 suites, joined by colons; empty for none.
    public var modernSuites: String
    /// Key exchange groups, joined by colons.
    public var groups: String
    /// Protocols in the server's preference; if empty, ALPN is not answered.
    public var alpn: [String]
    /// Requests a client certificate, and accepts any or none.
    public var requestsClientCertificate = false
    /// Requests a client certificate, accepts any, and rejects clients without one.
    public var requiresClientCertificate = false
    /// In the format of SSL_CTX_set1_sigalgs_list(3); empty for all that the library supports.
    public var signatures = ""
    /// True if the server supports RFC 7627.
    public var extendsMasterSecret = true
    /// The OCSP response for clients that request one.
    public var staple: [UInt8]?
    /// Signed certificate timestamps for clients that request them, as ``LogIdentity`` makes them.
    public var timestamps: [[UInt8]] = []

    public init(
        identity: SigningIdentity, intermediates: [Certificate] = [], minimum: TLSVersion = .tls10,
        maximum: TLSVersion = .tls13, cipherList: String = "ALL",
        modernSuites: String = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256",
        groups: String = "X25519:P-256:P-384:P-521", alpn: [String] = []
    ) {
        self.identity = identity
        self.intermediates = intermediates
        self.minimum = minimum
        self.maximum = maximum
        self.cipherList = cipherList
        self.modernSuites = modernSuites
        self.groups = groups
        self.alpn = alpn
    }
}

/// A context with fixed settings, for lab origins.
public final class ServerTLSContext: Sendable {
    let handle: ContextHandle
    /// The ALPN callback points to it, so it must live as long as the context.
    private let names: ServerProtocols
    /// The callback for status requests points to it, so it must live as long as the context.
    private let staple: ServedStaple?

    /// - Throws: ``TLSSetupError/library(_:)`` if OpenSSL rejects a setting, for example an unknown suite.
    public init(settings: ServerTLSSettings) throws(TLSSetupError) {
        handle = try ContextHandle(method: TLS_server_method())
        names = ServerProtocols(try ProtocolNames(settings.alpn))
        staple = settings.staple.map { ServedStaple($0) }
        let context = handle.raw
        SSL_CTX_set_security_level(context, 0)
        let low = settings.minimum.number
        try handle.require(ossl_ctx_set_versions(context, low, settings.maximum.number) == 1)
        try handle.require(SSL_CTX_set_cipher_list(context, settings.cipherList + ":@SECLEVEL=0") == 1)
        try handle.require(SSL_CTX_set_ciphersuites(context, settings.modernSuites) == 1)
        try handle.require(ossl_ctx_set_groups(context, settings.groups) == 1)
        if !settings.signatures.isEmpty { try handle.setSignatures(settings.signatures) }
        if !settings.extendsMasterSecret { handle.refuseExtendedMasterSecret() }
        ossl_ctx_set_dh_auto(context)
        ossl_ctx_server_preference(context)
        ossl_ctx_no_tickets(context)
        if settings.requestsClientCertificate || settings.requiresClientCertificate {
            let insists = settings.requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER | insists, nil)
            SSL_CTX_set_cert_verify_callback(context, { _, _ in 1 }, nil)
        }
        try handle.require(SSL_CTX_set_num_tickets(context, 0) == 1)
        let chain = CertificateStack(settings.intermediates)
        let identity = settings.identity
        try handle.require(
            SSL_CTX_use_cert_and_key(context, identity.certificate.raw, identity.key.raw, chain.raw, 1) == 1)
        staple?.attach(to: handle)
        try handle.serveTimestamps(settings.timestamps)
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, chosenLength, offered, offeredLength, argument in
                let names = argument.map { Unmanaged<ServerProtocols>.fromOpaque($0).takeUnretainedValue().names }
                return answer(names, chosen, chosenLength, offered, offeredLength)
            }, Unmanaged.passUnretained(names).toOpaque())
    }
}

private final class ServerProtocols: Sendable {
    let names: ProtocolNames

    init(_ names: ProtocolNames) { self.names = names }
}
