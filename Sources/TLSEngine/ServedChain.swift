internal import ATSPolicy
internal import COpenSSL

/// The certificates that an origin served, and the path built from them.
struct ServedChain: Sendable {
    var served: [CertificateFacts]
    var path: [CertificateFacts]
    var anchor: TrustAnchor

    /// Builds the path with OpenSSL at security level 0 and without looking at the clock: keys, hashes and times are
    /// for the rules to judge. No purpose is set, for the same reason.
    init(_ certificates: [Certificate], store: OpaquePointer, systemRoots: Set<String>) {
        served = certificates.map(\.facts)
        path = []
        anchor = .broken
        guard let leaf = certificates.first, let context = X509_STORE_CTX_new() else { return }
        defer { X509_STORE_CTX_free(context) }
        let untrusted = CertificateStack(certificates)
        guard X509_STORE_CTX_init(context, store, leaf.raw, untrusted.raw) == 1,
            let parameters = X509_STORE_CTX_get0_param(context)
        else { return }
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME))
        X509_VERIFY_PARAM_set_auth_level(parameters, 0)
        let isValid = X509_verify_cert(context) == 1
        let chain = X509_STORE_CTX_get0_chain(context)
        path = (0..<max(0, chain.map { ossl_certificates_count($0) } ?? 0)).compactMap {
            ossl_certificate_at(chain, $0).map { CertificateFacts(of: $0) }
        }
        if isValid {
            anchor = path.last.map { systemRoots.contains($0.sha256) } == true ? .system : .user
        } else {
            anchor = Self.anchor(for: X509_STORE_CTX_get_error(context))
        }
        ErrorQueue.clear()
    }

    /// Source: X509_STORE_CTX_get_error(3).
    private static func anchor(for code: Int32) -> TrustAnchor {
        switch code {
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSignedLeaf
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .unknownRoot
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            .incomplete
        default: .broken
        }
    }
}
