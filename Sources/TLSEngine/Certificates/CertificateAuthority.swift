internal import ATSPolicy
import Text

/// The local CA that clients are asked to trust: an identity, and where its files are.
///
/// P-256 for ten years: a person has to install it on every device, so it must outlive the project; a lost key is
/// answered with ``rotate(directory:now:)``. Limits on lifetimes concern leaves (documented;
/// docs/law/trust.md#minted-leaf).
public final class CertificateAuthority: Sendable {
    let identity: SigningIdentity
    /// File of the public certificate; nil for an ephemeral CA.
    public let certificatePath: String?
    private let facts: CertificateFacts

    init(identity: SigningIdentity, certificatePath: String?) {
        self.identity = identity
        self.certificatePath = certificatePath
        facts = identity.certificate.facts
    }

    /// Opens the CA of a directory, or makes one when there is none. Gates that start at the same time agree on one.
    ///
    /// - Parameters:
    ///   - directory: made with mode 0700 when missing.
    ///   - now: seconds since 1970-01-01 UTC.
    public static func openOrCreate(
        directory: String, now: Int64
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        let folder = try AuthorityFolder(directory)
        if try folder.hasPair() { return try folder.open(now: now) }
        return try folder.create(now: now)
    }

    /// Puts the present pair aside as `ca-*.pem.YYYY-MM-DD` and makes a new one. A broken pair can be rotated, too.
    public static func rotate(
        directory: String, now: Int64
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        let folder = try AuthorityFolder(directory)
        try folder.putAside(now: now)
        return try folder.create(now: now)
    }

    /// A CA that only memory knows: the issuer nobody trusts, and tests.
    public static func ephemeral(
        commonName: String, now: Int64
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        CertificateAuthority(identity: try makeIdentity(commonName: commonName, now: now), certificatePath: nil)
    }

    /// This CA's key under another name, in memory only.
    public func renamed(_ commonName: String, now: Int64) throws(CertificateError) -> CertificateAuthority {
        let recipe = Self.recipe(commonName: commonName, now: now)
        return CertificateAuthority(identity: try recipe.issued(by: nil, key: identity.key), certificatePath: nil)
    }

    /// A leaf made by `recipe` with a key of its own, flaws and all; it is not kept.
    public func leaf(_ recipe: CertificateRecipe) throws(CertificateError) -> Leaf {
        Leaf(identity: try recipe.issued(by: identity))
    }

    public var certificatePEM: String { identity.certificatePEM }
    public var certificateDER: [UInt8] { identity.certificate.der }
    /// SHA-256 over the DER, lower-case hexadecimal.
    public var fingerprint: String { facts.sha256 }
    public var commonName: String { facts.commonName ?? "" }
    /// Seconds since 1970-01-01 UTC.
    public var notBefore: Int64 { facts.notBefore }
    /// Seconds since 1970-01-01 UTC.
    public var notAfter: Int64 { facts.notAfter }

    /// - Parameter commonName: nil names the CA after its key, so that two of them can be told apart on a device.
    static func makeIdentity(
        commonName: String?, now: Int64
    ) throws(CertificateAuthorityError) -> SigningIdentity {
        do {
            let key = try PrivateKey(.ec(curve: .p256))
            let name = commonName ?? "atsgate local CA \(key.shortName)"
            return try recipe(commonName: name, now: now).issued(by: nil, key: key)
        } catch {
            throw .certificate(error)
        }
    }

    private static func recipe(commonName: String, now: Int64) -> CertificateRecipe {
        CertificateRecipe(
            commonName: commonName, notBefore: now - backdating, notAfter: now + lifetime, isCA: true
        ).with { $0.pathLength = 0 }
    }

    /// Seconds; longer than a leaf's, so that no leaf is older than its issuer.
    private static let backdating: Int64 = 2 * Day.seconds
    private static let lifetime: Int64 = 3_650 * Day.seconds
}
