public import Text

/// An identity that the app itself pins for a host, independent of its dictionary: a bundled certificate or a public
/// key.
public struct AppPin: Sendable, Hashable {
    public enum Identity: Sendable, Hashable {
        /// Lower-case hexadecimal of the SHA-256 over the DER certificate, as in ``CertificateFacts/sha256``.
        case certificate(sha256: String)
        /// Base64 of the SHA-256 over the SubjectPublicKeyInfo, as in ``CertificateFacts/spkiSHA256``.
        case publicKey(sha256: String)
    }

    public let hosts: HostPatterns
    public let identity: Identity

    /// - Parameter host: a host, or `*.example.com` for all of its subdomains; any other text matches no host.
    public init(host: String, _ identity: Identity) {
        hosts = HostPatterns([host])
        self.identity = identity
    }

    /// Reads `sha256/BASE64`, the form that TLS libraries use.
    ///
    /// - Returns: nil for any other text.
    public init?(host: String, publicKey text: String) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let value = text.dropFirst(Self.scheme.count)
        let digits = value.utf8.dropLast()
        guard value.utf8.count == Self.base64Bytes, value.utf8.last == UInt8(ascii: "="),
            digits.allSatisfy(\.isBase64Digit)
        else { return nil }
        self.init(host: host, .publicKey(sha256: String(value)))
    }

    func matches(_ certificate: CertificateFacts) -> Bool {
        switch identity {
        case .certificate(let sha256): certificate.sha256 == sha256
        case .publicKey(let sha256): certificate.spkiSHA256 == sha256
        }
    }

    private static let scheme = "sha256/"
    /// 32 bytes in Base64.
    private static let base64Bytes = 44
}
