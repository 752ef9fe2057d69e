public import ATSPolicy
internal import COpenSSL

/// The properties of an OCSP response to make for a leaf; lab origins staple them. Source: RFC 6960 section 4.2.
public struct StapleRecipe: Sendable {
    /// ``StapledAnswer/Status/invalid`` is written as unknown.
    public var status: StapledAnswer.Status
    /// Seconds since 1970-01-01 UTC.
    public var thisUpdate: Int64
    public var nextUpdate: Int64?
    /// Signed certificate timestamps, as ``LogIdentity`` makes them.
    public var timestamps: [[UInt8]] = []

    public init(_ status: StapledAnswer.Status, thisUpdate: Int64, nextUpdate: Int64?) {
        self.status = status
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
    }

    /// Signs a response.
    ///
    /// - Parameters:
    ///   - issuer: of the leaf.
    ///   - responder: signs instead of the issuer.
    /// - Returns: DER.
    public func issued(
        for leaf: Certificate, by issuer: SigningIdentity, signedBy responder: SigningIdentity? = nil
    ) throws(CertificateError) -> [UInt8] {
        ErrorQueue.clear()
        guard let basic = OCSP_BASICRESP_new() else { throw .latest }
        defer { OCSP_BASICRESP_free(basic) }
        try addAnswer(to: basic, leaf, issuer.certificate)
        let signer = responder ?? issuer
        guard OCSP_basic_sign(basic, signer.certificate.raw, signer.key.raw, EVP_sha256(), nil, 0) == 1,
            let response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)
        else { throw .latest }
        defer { OCSP_RESPONSE_free(response) }
        return encoded { i2d_OCSP_RESPONSE(response, $0) }
    }

    private func addAnswer(
        to basic: OpaquePointer, _ leaf: Certificate, _ issuer: Certificate
    ) throws(CertificateError) {
        guard let id = OCSP_cert_to_id(EVP_sha1(), leaf.raw, issuer.raw) else { throw .latest }
        defer { OCSP_CERTID_free(id) }
        var (number, reason, revocation) = (V_OCSP_CERTSTATUS_UNKNOWN, Int32(-1), Int64(0))
        switch status {
        case .good: number = V_OCSP_CERTSTATUS_GOOD
        case .revoked(let time, let code):
            (number, reason, revocation) = (V_OCSP_CERTSTATUS_REVOKED, code.map { Int32(clamping: $0) } ?? -1, time)
        case .unknown, .invalid: break
        }
        let times = [revocation, thisUpdate, nextUpdate ?? 0].map { ASN1_GENERALIZEDTIME_set(nil, Int($0)) }
        defer { for time in times { ASN1_GENERALIZEDTIME_free(time) } }
        guard
            let single = OCSP_basic_add1_status(
                basic, id, number, reason, times[0], times[1], nextUpdate == nil ? nil : times[2])
        else { throw .latest }
        if !timestamps.isEmpty { try addTimestamps(to: single) }
    }

    /// Source: RFC 6962 section 3.3.
    private func addTimestamps(to single: OpaquePointer) throws(CertificateError) {
        guard let value = ASN1_OCTET_STRING_new() else { throw .latest }
        defer { ASN1_OCTET_STRING_free(value) }
        let bytes = TimestampList.der(timestamps)
        guard ASN1_OCTET_STRING_set(value, bytes, Int32(bytes.count)) == 1,
            let attachment = X509_EXTENSION_create_by_NID(nil, NID_ct_cert_scts, 0, value)
        else { throw .latest }
        defer { X509_EXTENSION_free(attachment) }
        guard OCSP_SINGLERESP_add_ext(single, attachment, -1) == 1 else { throw .latest }
    }
}
