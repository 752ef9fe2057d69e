public import ATSPolicy
internal import COpenSSL

/// The settings for handshakes with origins: the hello of one emulated device. Make one per offer and keep it.
///
/// The handshake verifies nothing: it collects facts, and the ATS rules decide afterwards. Every handshake is full, because
/// a resumed one shows no certificate; links are reused instead.
public final class OriginTLSContext: Sendable {
    let handle: ContextHandle
    private let keyLog: KeyLog?

    /// - Throws: ``TLSSetupError/noUsableSuite`` if OpenSSL supports no part of the offer.
    public init(offer: TLSOffer, keyLog: KeyLog? = nil) throws(TLSSetupError) {
        self.keyLog = keyLog
        handle = try ContextHandle(method: TLS_client_method())
        keyLog?.attach(to: handle)
        let context = handle.raw
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        // OpenSSL builds a path even without verification; this callback avoids that work.
        SSL_CTX_set_cert_verify_callback(context, { _, _ in 1 }, nil)
        ossl_ctx_limit_chain(context, CertificateFacts.longestChain)
        // Tickets of TLS 1.2; those of TLS 1.3 need no extension, and are dropped.
        ossl_ctx_no_tickets(context)
        // A device does not require RFC 5746 either: BoringSSL's ext_ri_parse_serverhello accepts a ServerHello without
        // renegotiation_info.
        ossl_ctx_allow_legacy_servers(context)
        // Requests SCTs and a stapled OCSP response, like a device.
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

    /// Sets versions and suites exactly as offered, except for suites that OpenSSL lacks.
    private static func apply(_ offer: TLSOffer, to handle: ContextHandle) throws(TLSSetupError) {
        var modern: [String] = []
        var legacy: [String] = []
        for suite in offer.suites {
            // TLS 1.3 suites have the same name in OpenSSL and in the standard; the function accepts both kinds.
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

    /// All suites of the library; those without a certificate or without encryption come last. Source:
    /// openssl-ciphers(1).
    private static let everything = "ALL:COMPLEMENTOFALL:+aNULL:+eNULL:@SECLEVEL=0"
    /// The groups that BoringSSL offers by default, in its order, plus P-521; post-quantum groups need OpenSSL 3.5.
    private static let groups = "X25519:P-256:P-384:P-521"
}

extension TLSVersion {
    /// The version number for OpenSSL's functions.
    var number: Int32 { Int32(rawValue) }
}
