public import ATSPolicy
internal import COpenSSL

/// The settings for handshakes with origins: the hello of one emulated device. Make one per offer and keep it.
///
/// The handshake verifies nothing: it collects facts, and the ATS rules decide afterwards. Every handshake is full, because
/// a resumed one shows no certificate; links are reused instead.
public final class OriginTLSContext: Sendable {
    let handle: ContextHandle
    /// The offer as the hello has it: without X25519MLKEM768 if the library lacks it. Suites that it lacks stay listed.
    public let sent: TLSOffer
    private let keyLog: KeyLog?

    /// True if the TLS library in use has X25519MLKEM768, as OpenSSL 3.5 and later do.
    public static let canOfferHybridGroup: Bool = {
        guard let handle = try? ContextHandle(method: TLS_client_method()) else { return false }
        defer { ErrorQueue.clear() }
        return ossl_ctx_set_groups(handle.raw, HelloShape.hybridGroupName) == 1
    }()

    /// - Throws: ``TLSSetupError/noUsableSuite`` if OpenSSL supports no part of the offer.
    public init(offer: TLSOffer, keyLog: KeyLog? = nil) throws(TLSSetupError) {
        self.keyLog = keyLog
        sent = Self.canOfferHybridGroup ? offer : offer.withoutHybridGroup
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
            if Self.canOfferHybridGroup { try handle.require(ossl_ctx_set_groups(context, Self.allGroups) == 1) }
        } else {
            try Self.apply(offer, to: handle)
            if let shape = sent.shape {
                try handle.take(shape, signatures: sent.signatures ?? shape.signatures)
            } else {
                try handle.require(ossl_ctx_set_groups(context, Self.groups) == 1)
                if !offer.takesSHA1Signatures { try handle.refuseSHA1Signatures() }
            }
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
    /// The groups that BoringSSL offers by default, in its order, plus P-521, for an offer without a shape.
    private static let groups = "X25519:P-256:P-384:P-521"
    /// The default of OpenSSL 3.0. The default of 3.5 has two key shares, and a diagnosis needs a small hello.
    private static let allGroups =
        "X25519:P-256:X448:P-521:P-384:ffdhe2048:ffdhe3072:ffdhe4096:ffdhe6144:ffdhe8192:"
        + HelloShape.hybridGroupName
}

extension ContextHandle {
    /// Gives the hello the groups, signature algorithms and extensions of a release. Source: docs/law/tls.md#our-hello,
    /// which lists the differences that remain.
    fileprivate func take(_ shape: HelloShape, signatures: [UInt16]) throws(TLSSetupError) {
        let shares = shape.keyShares
        // Without `*` the first group gets the only key share; OpenSSL before 3.5 does not know `*`.
        let groups = shape.groups.map { (shares.count > 1 && shares.contains($0) ? "*" : "") + Self.name(of: $0) }
        try require(ossl_ctx_set_groups(raw, groups.joined(separator: ":")) == 1)
        let pairs = signatures.flatMap(Self.pair)
        try require(ossl_ctx_set_signatures(raw, pairs, pairs.count) == 1)
        ossl_ctx_no_encrypt_then_mac(raw)
        if shape.isPadded { ossl_ctx_pad_hello(raw) }
        if !shape.compressesCertificates || ossl_ctx_zlib_certificates(raw) == 0 {
            ossl_ctx_no_compressed_certificates(raw)
        }
        ErrorQueue.clear()
    }

    /// Source: IANA, TLS Supported Groups; SSL_CTX_set1_groups_list(3).
    private static func name(of group: UInt16) -> String {
        switch group {
        case HelloShape.hybridGroup: HelloShape.hybridGroupName
        case 0x0017: "P-256"
        case 0x0018: "P-384"
        case 0x0019: "P-521"
        default: "X25519"
        }
    }

    /// The numbers of a hash and a kind of key. Source: RFC 8446 section 4.2.3, SSL_CTX_set1_sigalgs(3).
    private static func pair(_ signature: UInt16) -> [Int32] {
        if signature >> 8 == 8 {
            let hash = signature == 0x0804 ? NID_sha256 : signature == 0x0805 ? NID_sha384 : NID_sha512
            return [hash, EVP_PKEY_RSA_PSS]
        }
        let hash =
            switch signature >> 8 {
            case 2: NID_sha1
            case 4: NID_sha256
            case 5: NID_sha384
            default: NID_sha512
            }
        return [hash, signature & 0xFF == 1 ? EVP_PKEY_RSA : EVP_PKEY_EC]
    }
}

extension TLSVersion {
    /// The version number for OpenSSL's functions.
    var number: Int32 { Int32(rawValue) }
}
