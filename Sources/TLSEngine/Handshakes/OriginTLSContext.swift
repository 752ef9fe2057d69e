public import ATSPolicy
internal import COpenSSL

/// Settings for handshakes with origins: one emulated device's hello. Make one per offer and keep it.
///
/// Nothing is verified while shaking hands: facts are collected, and the law decides afterwards. Sessions are resumed
/// only where a machine is given an ``OriginMemory``.
public final class OriginTLSContext: Sendable {
    let handle: ContextHandle
    private let keyLog: KeyLog?

    /// - Throws: ``TLSSetupError/noUsableSuite`` when nothing of the offer is left.
    public init(offer: TLSOffer, keyLog: KeyLog? = nil) throws(TLSSetupError) {
        self.keyLog = keyLog
        handle = try ContextHandle(method: TLS_client_method())
        keyLog?.attach(to: handle)
        let context = handle.raw
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        // OpenSSL builds a path even when nothing is verified; this keeps it from doing work that is thrown away.
        SSL_CTX_set_cert_verify_callback(context, { _, _ in 1 }, nil)
        ossl_ctx_limit_chain(context, CertificateFacts.longestChain)
        // Those of TLS 1.2; the ones of TLS 1.3 need no extension.
        ossl_ctx_no_tickets(context)
        ossl_ctx_report_sessions(context)
        SSL_CTX_sess_set_new_cb(context) { connection, session in
            guard let session, SessionResumption.of(connection)?.take(session) == true else { return 0 }
            return 1
        }
        // A device does not insist on RFC 5746 either: BoringSSL's ext_ri_parse_serverhello takes a ServerHello
        // without renegotiation_info.
        ossl_ctx_allow_legacy_servers(context)
        // Asks for SCTs and a stapled OCSP response, as a device does.
        try handle.require(ossl_ctx_enable_scts(context) == 1)
        if offer.suites.isEmpty {
            try handle.require(SSL_CTX_set_cipher_list(context, Self.everything) == 1)
            try handle.require(ossl_ctx_set_versions(context, offer.minimum.number, offer.maximum.number) == 1)
        } else {
            try Self.apply(offer, to: handle)
            try handle.require(ossl_ctx_set_groups(context, Self.groups) == 1)
            if !offer.takesSHA1Signatures { try handle.refuseSHA1Signatures() }
        }
    }

    /// Sets versions and suites exactly as offered, but for suites that this TLS library does not have.
    private static func apply(_ offer: TLSOffer, to handle: ContextHandle) throws(TLSSetupError) {
        var modern: [String] = []
        var legacy: [String] = []
        for suite in offer.suites {
            // The names of TLS 1.3 suites are the same in both worlds; the table knows both kinds.
            let name = String(cString: OPENSSL_cipher_name(suite.name))
            if name == "(NONE)" { continue }
            if suite.keyExchange == .tls13 {
                modern.append(name)
            } else {
                legacy.append(name)
            }
        }
        let low = legacy.isEmpty ? max(offer.minimum, .tls13) : offer.minimum
        let high = modern.isEmpty ? min(offer.maximum, .tls12) : offer.maximum
        guard low <= high else { throw .noUsableSuite }
        let context = handle.raw
        try handle.require(SSL_CTX_set_ciphersuites(context, modern.joined(separator: ":")) == 1)
        if !legacy.isEmpty {
            let list = legacy.joined(separator: ":") + ":@SECLEVEL=0"
            try handle.require(SSL_CTX_set_cipher_list(context, list) == 1)
        }
        try handle.require(ossl_ctx_set_versions(context, low.number, high.number) == 1)
    }

    /// All that the library has; those without a certificate and without encryption stand last. Source:
    /// openssl-ciphers(1).
    private static let everything = "ALL:COMPLEMENTOFALL:+aNULL:+eNULL:@SECLEVEL=0"
    /// The groups that BoringSSL offers by default, in its order, and P-521; post-quantum groups need OpenSSL 3.5.
    private static let groups = "X25519:P-256:P-384:P-521"
}

extension TLSVersion {
    /// The number as OpenSSL's functions take it.
    var number: Int32 { Int32(rawValue) }
}
