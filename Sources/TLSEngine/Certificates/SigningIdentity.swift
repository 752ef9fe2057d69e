internal import COpenSSL

/// A certificate and its private key: what signs, or what a server shows.
public final class SigningIdentity: Sendable {
    public let certificate: Certificate
    let key: PrivateKey

    init(certificate: Certificate, key: PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads a pair; nil when either cannot be read or they do not belong together. A key with a passphrase cannot.
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
            // Without a callback OpenSSL would ask for a passphrase on the terminal (PEM_read_bio_PrivateKey(3)).
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

/// What a client is shown: a certificate with its key, and the certificates between it and the root.
public final class Leaf: Sendable {
    public let identity: SigningIdentity
    /// Served behind the leaf, in order.
    public let intermediates: [Certificate]
    /// Sessions may only be resumed under the same scope: 32 bytes.
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

    /// What one takes in memory, about: certificate and key as OpenSSL has them.
    public static let bytes = 6_144

    public var der: [UInt8] { identity.certificate.der }
}

extension PrivateKey {
    /// Eight hexadecimal digits that tell this key from others.
    var shortName: String { hexadecimal(sha256(encoded { i2d_PUBKEY(raw, $0) }).prefix(4)) }
}
