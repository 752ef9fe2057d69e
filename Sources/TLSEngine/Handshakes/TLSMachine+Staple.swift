internal import ATSPolicy
internal import COpenSSL

extension TLSMachine {
    /// The OCSP response that the origin stapled; empty if there is none. Source: RFC 6066 section 8.
    var stapledResponse: [UInt8] {
        var start: UnsafePointer<UInt8>?
        let count = ossl_stapled_response(connection.raw, &start)
        return start.map { Array(UnsafeBufferPointer(start: $0, count: max(0, Int(count)))) } ?? []
    }
}

extension StapledAnswer {
    /// Reads a response, and verifies that the leaf's issuer authorized it. Source: RFC 6960 sections 3.2 and 4.2.
    init(_ response: [UInt8], about leaf: OpaquePointer, issuer: Certificate?) {
        self = Self.read(response, about: leaf, issuer: issuer) ?? StapledAnswer(.invalid)
    }

    private static func read(
        _ response: [UInt8], about leaf: OpaquePointer, issuer: Certificate?
    ) -> StapledAnswer? {
        guard let issuer else { return nil }
        let parsed = response.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_OCSP_RESPONSE(nil, &cursor, bytes.count)
        }
        guard let parsed else { return nil }
        defer { OCSP_RESPONSE_free(parsed) }
        guard OCSP_response_status(parsed) == OCSP_RESPONSE_STATUS_SUCCESSFUL,
            let basic = OCSP_response_get1_basic(parsed)
        else { return nil }
        defer { OCSP_BASICRESP_free(basic) }
        guard let answer = find(in: basic, leaf: leaf, issuer: issuer),
            isVouchedFor(basic, by: issuer, at: answer.thisUpdate)
        else { return nil }
        return answer
    }

    /// Returns the answer about the leaf. A responder may identify it with any hash (RFC 6960 section 4.1.1).
    private static func find(in basic: OpaquePointer, leaf: OpaquePointer, issuer: Certificate) -> StapledAnswer? {
        for digest in [EVP_sha1(), EVP_sha256(), EVP_sha384(), EVP_sha512()] {
            guard let id = OCSP_cert_to_id(digest, leaf, issuer.raw) else { continue }
            defer { OCSP_CERTID_free(id) }
            var (status, reason): (Int32, Int32) = (0, -1)
            var revocation: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            var begin: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            var end: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            guard OCSP_resp_find_status(basic, id, &status, &reason, &revocation, &begin, &end) == 1,
                let thisUpdate = CertificateFacts.seconds(begin)
            else { continue }
            // An unreadable date must not make the answer valid forever.
            let nextUpdate = end.map { CertificateFacts.seconds($0) ?? .min }
            return StapledAnswer(
                Self.status(status, reason, CertificateFacts.seconds(revocation)), thisUpdate: thisUpdate,
                nextUpdate: nextUpdate)
        }
        return nil
    }

    private static func status(_ number: Int32, _ reason: Int32, _ time: Int64?) -> Status {
        switch number {
        case V_OCSP_CERTSTATUS_GOOD: .good
        case V_OCSP_CERTSTATUS_REVOKED: .revoked(at: time ?? 0, reason: reason < 0 ? nil : Int(reason))
        default: .unknown
        }
    }

    /// True if the issuer signed the response, or a responder that the issuer certified for it (RFC 6960 section
    /// 4.2.2.2).
    ///
    /// - Parameter time: the time at which the responder's certificate must have been valid.
    private static func isVouchedFor(_ basic: OpaquePointer, by issuer: Certificate, at time: Int64) -> Bool {
        guard let store = X509_STORE_new() else { return false }
        defer { X509_STORE_free(store) }
        let issuers = CertificateStack([issuer])
        guard X509_STORE_add_cert(store, issuer.raw) == 1, let parameters = X509_STORE_get0_param(store) else {
            return false
        }
        // The issuer is trusted for this check, even if it is not a root.
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        X509_VERIFY_PARAM_set_time(parameters, Int(time))
        return OCSP_basic_verify(basic, issuers.raw, store, UInt(OCSP_TRUSTOTHER)) == 1
    }
}
