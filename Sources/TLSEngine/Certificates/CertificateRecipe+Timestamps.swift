internal import COpenSSL

extension CertificateRecipe {
    /// Adds the extension with all timestamps to a certificate that was signed without it. Logs sign the certificate
    /// without their timestamps. Source: RFC 6962 sections 3.2 and 3.3.
    ///
    /// - Returns: true if timestamps were added, so that the certificate must be signed again.
    func embedTimestamps(in raw: OpaquePointer, issuer: OpaquePointer) throws(CertificateError) -> Bool {
        let count = min(max(0, madeUpTimestamps), Self.mostTimestamps)
        var timestamps = (0..<count).map { timestamp(of: UInt8($0)) }
        if !logs.isEmpty {
            guard let entry = LogEntry(precertificateOf: raw, issuer: issuer) else { throw .latest }
            for log in logs { timestamps.append(try log.timestamp(on: entry, at: loggedAt ?? notBefore)) }
        }
        if timestamps.isEmpty { return false }
        let value = "DER:" + hexadecimal(TimestampList.der(timestamps))
        guard ossl_add_extension(raw, issuer, NID_ct_precert_scts, value) == 1 else { throw .latest }
        return true
    }

    /// A well-formed SignedCertificateTimestamp with a signature that proves nothing. Source: RFC 6962 section 3.2.
    private func timestamp(of log: UInt8) -> [UInt8] {
        TimestampList.timestamp(
            log: [UInt8](repeating: log, count: 32), milliseconds: UInt64(clamping: notBefore) &* 1_000,
            signature: [UInt8](repeating: log, count: 70))
    }

    /// Keeps the list well below 65 535 bytes, the limit of its length fields.
    private static let mostTimestamps = 255
}
