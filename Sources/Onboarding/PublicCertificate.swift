/// The certificate that a device must trust, in every form that the gate serves. Never its key.
public struct PublicCertificate: Sendable, Hashable {
    /// As the device's settings show it.
    public let name: String
    public let der: [UInt8]
    public let pem: String
    /// SHA-256 over the DER, lower-case hexadecimal without separators.
    public let fingerprint: String

    public init(name: String, der: [UInt8], pem: String, fingerprint: String) {
        self.name = name
        self.der = der
        self.pem = pem
        self.fingerprint = fingerprint
    }

    /// In pairs separated by colons, as settings and `openssl x509 -fingerprint` show it.
    public var spelledFingerprint: String {
        stride(from: 0, to: fingerprint.count, by: 2).map { offset in
            fingerprint.dropFirst(offset).prefix(2).uppercased()
        }.joined(separator: ":")
    }
}
