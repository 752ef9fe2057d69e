import Text

/// The properties of a certificate to make, including flawed ones. Lab origins use them.
public struct CertificateRecipe: Sendable {
    public enum Curve: String, Sendable, Hashable, CaseIterable {
        /// Missing in some builds of OpenSSL, like P-224.
        case p192 = "P-192"
        case p224 = "P-224"
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"
    }

    public enum Key: Sendable, Hashable {
        case rsa(bits: Int)
        case ec(curve: Curve)
        case ed25519
    }

    /// Raw values are OpenSSL's names.
    public enum Digest: String, Sendable, Hashable, CaseIterable {
        case md5 = "MD5"
        case sha1 = "SHA1"
        case sha224 = "SHA224"
        case sha256 = "SHA256"
        case sha384 = "SHA384"
        case sha512 = "SHA512"
    }

    /// Raw values are OpenSSL's names (x509v3_config(5)).
    public enum ExtendedKeyUsage: String, Sendable, Hashable, CaseIterable {
        case serverAuth, clientAuth, codeSigning, emailProtection
        case ocspSigning = "OCSPSigning"
        case any = "anyExtendedKeyUsage"
    }

    /// Left out of the subject when nil.
    public var commonName: String?
    public var dnsNames: [String]
    /// Literals, IPv6 without brackets.
    public var ipAddresses: [String]
    public var key: Key
    /// Of the signature; unused if the signer's key is Ed25519.
    public var digest = Digest.sha256
    /// Seconds since 1970-01-01 UTC.
    public var notBefore: Int64
    public var notAfter: Int64
    public var isCA: Bool
    /// The maximum number of CAs allowed below this one; nil for any number.
    public var pathLength: Int?
    /// Certificates below this CA must have names under these; nil for any.
    public var permittedNames: [String]?
    /// nil writes no extension.
    public var extendedKeyUsages: [ExtendedKeyUsage]?
    /// True if names and addresses are written.
    public var includeSAN = true
    /// The number of signed certificate timestamps of nonexistent logs: they count, but never verify. At most 255.
    public var madeUpTimestamps = 0
    /// The logs whose timestamps are embedded.
    public var logs: [LogIdentity] = []
    /// The time of their timestamps, in seconds since 1970-01-01 UTC; nil for ``notBefore``.
    public var loggedAt: Int64?

    public init(
        commonName: String?, dnsNames: [String] = [], ipAddresses: [String] = [], key: Key = .ec(curve: .p256),
        notBefore: Int64, notAfter: Int64, isCA: Bool = false, extendedKeyUsages: [ExtendedKeyUsage]? = nil
    ) {
        self.commonName = commonName
        self.dnsNames = dnsNames
        self.ipAddresses = ipAddresses
        self.key = key
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isCA = isCA
        self.extendedKeyUsages = extendedKeyUsages
    }

    /// Returns a copy with changes.
    public func with(_ change: (inout CertificateRecipe) -> Void) -> CertificateRecipe {
        var recipe = self
        change(&recipe)
        return recipe
    }

    /// Makes a new key and signs a certificate for it.
    ///
    /// - Parameter issuer: nil for a self-signed certificate.
    public func issued(by issuer: SigningIdentity?) throws(CertificateError) -> SigningIdentity {
        try issued(by: issuer, key: PrivateKey(key))
    }

    /// Signs a certificate for the key of another identity, which saves generating an RSA key. ``key`` should describe
    /// that key.
    public func issued(
        by issuer: SigningIdentity?, sharingKeyOf other: SigningIdentity
    ) throws(CertificateError) -> SigningIdentity {
        try issued(by: issuer, key: other.key)
    }
}

/// The reason why a certificate could not be created.
public enum CertificateError: Error, Sendable, Hashable {
    /// An entry of `ipAddresses` is not an IP address.
    case ipAddress(String)
    /// A time before the year 0 or after the year 9999.
    case time(Int64)
    /// The host is empty or longer than 255 bytes.
    case host(String)
    /// OpenSSL failed, with its packed error code.
    case library(UInt64)
}

extension CertificateError: CustomStringConvertible {
    /// The problem, without a full stop.
    public var description: String {
        switch self {
        case .ipAddress(let text): "\(text.printable) is not an IP address"
        case .time: "a date is before the year 0 or after the year 9999"
        case .host(let host): host.isEmpty ? "the host name is empty" : "the host name is too long: \(host.printable)"
        case .library(let code): "OpenSSL error \(ErrorQueue.words(code))"
        }
    }
}
