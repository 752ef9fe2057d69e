internal import COpenSSL

/// A certificate and its private key, for signing or for a server.
public final class SigningIdentity: Sendable {
    public let certificate: Certificate
    let key: PrivateKey

    init(certificate: Certificate, key: PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads a pair; nil if either is unreadable, they do not match, or the key has a passphrase.
    public convenience init?(certificatePEM: String, keyPEM: String) {
        guard let certificate = Certificate(pem: certificatePEM), let key = PrivateKey(pem: keyPEM),
            key.matches(certificate)
        else { return nil }
        self.init(certificate: certificate, key: key)
    }

    public var certificatePEM: String { certificate.pem }

    /// PKCS #8, not encrypted.
    public var keyPEM: String { key.pem }
}

extension PrivateKey {
    convenience init?(pem: String) {
        let bytes = Array(pem.utf8)
        let raw = bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let source = MemoryBIO(reading: bytes) else { return nil }
            // Without a callback OpenSSL would prompt for a passphrase on the terminal (PEM_read_bio_PrivateKey(3)).
            return PEM_read_bio_PrivateKey(source.raw, nil, { _, _, _, _ in 0 }, nil)
        }
        ErrorQueue.clear()
        guard let raw else { return nil }
        self.init(owned: raw)
    }

    var pem: String {
        guard let target = MemoryBIO() else { return "" }
        PEM_write_bio_PrivateKey(target.raw, raw, nil, nil, 0, nil, nil)
        return target.text
    }

    func matches(_ certificate: Certificate) -> Bool {
        defer { ErrorQueue.clear() }
        return X509_check_private_key(certificate.raw, raw) == 1
    }
}

/// The certificate and key that a server uses, with the certificates between it and the root.
public final class Leaf: Sendable {
    public let identity: SigningIdentity
    /// Sent after the leaf, in order.
    public let intermediates: [Certificate]
    /// Sessions are resumed only within the same scope: 32 bytes.
    let resumptionScope: [UInt8]

    public init(identity: SigningIdentity, intermediates: [Certificate] = []) {
        self.identity = identity
        self.intermediates = intermediates
        resumptionScope = sha256(identity.certificate.der)
    }

    /// A leaf that shares resumption with earlier leaves of the same issuer for the same host.
    ///
    /// - Parameter issuer: SHA-256 of the issuer's certificate.
    init(identity: SigningIdentity, issuer: [UInt8], host: String) {
        self.identity = identity
        intermediates = []
        resumptionScope = sha256(issuer + Array(host.utf8))
    }

    /// Approximate memory of a leaf: certificate and key in OpenSSL.
    public static let bytes = 6_144

    public var der: [UInt8] { identity.certificate.der }
}

extension PrivateKey {
    /// Eight hexadecimal digits that identify this key.
    var shortName: String { hexadecimal(sha256(encoded { i2d_PUBKEY(raw, $0) }).prefix(4)) }
}
