internal import ATSPolicy
import Text

/// The local CA that clients must trust: its identity and the location of its certificate file.
///
/// P-256, valid for ten years: users install it by hand on every device, so it must outlive the project. If the key is
/// lost, use ``rotate(directory:now:)``. Apple's limits on lifetimes apply to leaves (documented;
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

    /// Opens the CA of a directory, or creates one. Gates that start at the same time get the same CA.
    ///
    /// - Parameters:
    ///   - directory: created with mode 0700 if missing.
    ///   - now: seconds since 1970-01-01 UTC.
    public static func openOrCreate(
        directory: String, now: Int64
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        let folder = try AuthorityFolder(directory)
        if try folder.hasPair() { return try folder.open(now: now) }
        return try folder.create(now: now)
    }

    /// Renames the current pair to `ca-*.pem.YYYY-MM-DD` and creates a new one. Also works if the pair is broken.
    public static func rotate(
        directory: String, now: Int64
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        let folder = try AuthorityFolder(directory)
        try folder.putAside(now: now)
        return try folder.create(now: now)
    }

    /// Creates a CA that exists only in memory: for tests, and for the untrusted issuer of blocked loads.
    public static func ephemeral(
        commonName: String, now: Int64
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        CertificateAuthority(identity: try makeIdentity(commonName: commonName, now: now), certificatePath: nil)
    }

    /// Returns a CA with the same key and another name, in memory only.
    public func renamed(_ commonName: String, now: Int64) throws(CertificateError) -> CertificateAuthority {
        let recipe = Self.recipe(commonName: commonName, now: now)
        return CertificateAuthority(identity: try recipe.issued(by: nil, key: identity.key), certificatePath: nil)
    }

    /// Issues a leaf with a new key by `recipe`, including any flaws. The leaf is not cached.
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

    /// - Parameter commonName: nil names the CA after its key, so that two CAs on one device have different names.
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

    /// Seconds; longer than a leaf's, so that no leaf begins before its issuer.
    private static let backdating: Int64 = 2 * Day.seconds
    private static let lifetime: Int64 = 3_650 * Day.seconds
}
