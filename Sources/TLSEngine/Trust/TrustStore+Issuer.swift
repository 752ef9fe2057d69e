internal import COpenSSL

extension TrustStore {
    /// Returns the certificate whose key signed a leaf: one from the served chain, or a known root.
    func issuer(of leaf: OpaquePointer, servedWith chain: OpaquePointer?) -> Certificate? {
        for index in 1..<max(1, chain.map { ossl_certificates_count($0) } ?? 0) {
            guard let candidate = ossl_certificate_at(chain, index) else { continue }
            if Self.signed(leaf, candidate) { return Certificate(sharing: candidate) }
        }
        guard let context = X509_STORE_CTX_new() else { return nil }
        defer { X509_STORE_CTX_free(context) }
        var found: OpaquePointer?
        guard X509_STORE_CTX_init(context, raw, leaf, nil) == 1,
            X509_STORE_CTX_get1_issuer(&found, context, leaf) == 1, let found
        else { return nil }
        let root = Certificate(owned: found)
        return Self.signed(leaf, root.raw) ? root : nil
    }

    private static func signed(_ leaf: OpaquePointer, _ issuer: OpaquePointer) -> Bool {
        guard X509_check_issued(issuer, leaf) == X509_V_OK, let key = X509_get0_pubkey(issuer) else { return false }
        return X509_verify(leaf, key) == 1
    }
}
