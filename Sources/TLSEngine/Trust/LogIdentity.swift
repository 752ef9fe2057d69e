internal import COpenSSL
internal import Foundation

/// A Certificate Transparency log that signs every certificate. Lab origins use it. Source: RFC 6962.
public final class LogIdentity: Sendable {
    /// SHA-256 of the public key.
    let id: [UInt8]
    private let key: PrivateKey
    /// DER of the public key.
    private let publicKey: [UInt8]

    /// Creates a log with a new P-256 key.
    public init() throws(CertificateError) {
        key = try PrivateKey(.ec(curve: .p256))
        let raw = key.raw
        publicKey = encoded { i2d_PUBKEY(raw, $0) }
        id = sha256(publicKey)
    }

    /// Creates a log with another log's id but a different key: none of its timestamps verifies.
    public init(forging other: LogIdentity) throws(CertificateError) {
        key = try PrivateKey(.ec(curve: .p256))
        publicKey = other.publicKey
        id = other.id
    }

    /// The log's `log_id` in a list of logs.
    public var idBase64: String { Data(id).base64EncodedString() }
    /// The log's `key` in a list of logs.
    public var keyBase64: String { Data(publicKey).base64EncodedString() }

    /// Signs a timestamp for a certificate, to deliver outside the certificate.
    ///
    /// - Parameter seconds: seconds since 1970-01-01 UTC.
    public func timestamp(on certificate: Certificate, at seconds: Int64) throws(CertificateError) -> [UInt8] {
        try timestamp(on: LogEntry(certificate.raw), at: seconds)
    }

    func timestamp(on entry: LogEntry, at seconds: Int64) throws(CertificateError) -> [UInt8] {
        let milliseconds = UInt64(clamping: seconds) &* 1_000
        let signature = try key.signature(on: entry.signedBytes(milliseconds: milliseconds, extensions: []))
        return TimestampList.timestamp(log: id, milliseconds: milliseconds, signature: signature)
    }
}

extension PrivateKey {
    /// Signs with SHA-256.
    fileprivate func signature(on bytes: [UInt8]) throws(CertificateError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .latest }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, raw) == 1,
            EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
        else { throw .latest }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { throw .latest }
        return Array(signature.prefix(count))
    }

    /// True if an SHA-256 signature is valid. Needs the public key only.
    func verifies(_ signature: [UInt8], on bytes: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ErrorQueue.clear()
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, raw) == 1
            && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
    }
}
