internal import COpenSSL

/// The entry that a Certificate Transparency log signs. Source: RFC 6962 sections 3.1 and 3.2.
///
/// OpenSSL's own check of timestamps can only load its logs from files of one format (CTLOG_STORE_load_file(3)).
/// Therefore the signed bytes are built here.
enum LogEntry {
    /// DER of a whole certificate, for timestamps from the handshake and from a stapled response.
    case certificate([UInt8])
    /// For embedded timestamps: the certificate's body without them, and the SHA-256 of its issuer's key.
    case precertificate(body: [UInt8], issuerKeyHash: [UInt8])

    init(_ certificate: OpaquePointer) {
        self = .certificate(encoded { i2d_X509(certificate, $0) })
    }

    /// - Returns: nil if memory runs out.
    init?(precertificateOf certificate: OpaquePointer, issuer: OpaquePointer) {
        guard let copy = X509_dup(certificate) else { return nil }
        defer { X509_free(copy) }
        let place = X509_get_ext_by_NID(copy, NID_ct_precert_scts, -1)
        if place >= 0 { X509_EXTENSION_free(X509_delete_ext(copy, place)) }
        let body = encoded { i2d_re_X509_tbs(copy, $0) }
        let key = encoded { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(issuer), $0) }
        guard !body.isEmpty, !key.isEmpty else { return nil }
        self = .precertificate(body: body, issuerKeyHash: sha256(key))
    }

    /// Returns the bytes that a timestamp's signature covers.
    func signedBytes(milliseconds: UInt64, extensions: [UInt8]) -> [UInt8] {
        let version: UInt8 = 0
        let certificateTimestamp: UInt8 = 0
        var bytes = [version, certificateTimestamp] + TimestampList.bigEndian(milliseconds, bytes: 8)
        switch self {
        case .certificate(let der):
            bytes += TimestampList.bigEndian(0, bytes: 2) + TimestampList.bigEndian(UInt64(der.count), bytes: 3) + der
        case .precertificate(let body, let issuerKeyHash):
            bytes += TimestampList.bigEndian(1, bytes: 2) + issuerKeyHash
            bytes += TimestampList.bigEndian(UInt64(body.count), bytes: 3) + body
        }
        return bytes + TimestampList.sized(extensions)
    }
}
