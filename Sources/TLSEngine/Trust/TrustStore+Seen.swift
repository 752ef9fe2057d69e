public import ATSPolicy
internal import COpenSSL

extension TrustStore {
    /// Replaces the chain in the facts of a handshake with one that the same origin sent in the clear to another
    /// client. If both chains are equal, all facts stay. Otherwise only the timestamps in the new leaf count.
    ///
    /// - Parameters:
    ///   - chain: in DER, leaf first.
    ///   - hosts: the hosts that the leaf is judged for, see ``TLSMachine/facts(trust:for:)``.
    /// - Returns: false if a certificate cannot be read.
    public func put(_ chain: [[UInt8]], into facts: inout HandshakeFacts, for hosts: [String]) -> Bool {
        let certificates = chain.compactMap { Certificate(der: $0) }
        guard certificates.count == chain.count else { return false }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let stack = CertificateStack(certificates)
        let seen = evaluate(served: stack.raw, for: hosts)
        guard !facts.hasServed(seen.served) else { return true }
        facts.unkeptCertificates = nil
        facts.served = seen.served
        facts.path = seen.path
        facts.anchor = seen.anchor
        facts.staple = nil
        facts.sctReview = nil
        facts.scts = SCTCounts()
        guard let leaf = certificates.first else { return true }
        let list = X509_get_ext_d2i(leaf.raw, NID_ct_precert_scts, nil, nil).map { OpaquePointer($0) }
        defer { SCT_LIST_free(list) }
        let timestamps = (0..<max(0, list.map { ossl_scts_count($0) } ?? 0)).compactMap { ossl_sct_at(list, $0) }
        facts.scts.embedded = timestamps.count
        guard let logs else { return true }
        let review = logs.review(timestamps, of: leaf.raw, issuer: issuer(of: leaf.raw, servedWith: stack.raw))
        facts.sctReview = review
        facts.scts = review.counts
        return true
    }
}

extension Certificate {
    /// nil if the bytes are not exactly one certificate.
    convenience init?(der: [UInt8]) {
        let raw = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress else { return nil }
            var cursor: UnsafePointer<UInt8>? = start
            guard let raw = d2i_X509(nil, &cursor, bytes.count) else { return nil }
            guard cursor == start + bytes.count else {
                X509_free(raw)
                return nil
            }
            return raw
        }
        guard let raw else { return nil }
        self.init(owned: raw)
    }
}

extension ClientTLSContext {
    /// Returns a suite by its number, with OpenSSL's standard name for it.
    func suite(_ code: UInt16) -> CipherSuite {
        let bytes = [UInt8(code >> 8), UInt8(code & 0xFF)]
        let name = SSL_CIPHER_find(names.raw, bytes).flatMap { SSL_CIPHER_standard_name($0) }
        // A name without "_WITH_" would look like a TLS 1.3 suite.
        return CipherSuite(
            code: code, name: name.map { String(cString: $0) } ?? "TLS_UNKNOWN_WITH_\(String(code, radix: 16))")
    }
}
