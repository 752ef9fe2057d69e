internal import ATSPolicy
internal import COpenSSL
public import Files
internal import Foundation
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

/// The directory of the local CA, locked against other gates for the lifetime of this object.
final class AuthorityFolder {
    private let path: String
    private let descriptor: Int32

    private var keyPath: String { path + "/ca-key.pem" }
    private var certificatePath: String { path + "/ca-cert.pem" }

    /// Creates the directory if it is missing, and waits up to five seconds for the lock. The kernel releases the lock
    /// when a gate dies.
    init(_ path: String) throws(CertificateAuthorityError) {
        self.path = path
        do { try OutputFile.makeFolder(path) } catch { throw .unwritable(path: path, errno: error.errno) }
        descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, .system(errno: errno)) }
        try Self.lock(descriptor, path)
        let (mode, owner) = try Self.modeAndOwner(of: descriptor, path)
        guard owner == geteuid() || owner == 0 else { throw .foreign(path: path, owner: owner) }
        // Anyone with write access could replace the key.
        guard mode & 0o022 == 0 else { throw .exposed(path: path, mode: mode) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// False for a new directory, and if an earlier `create` was interrupted before it wrote the key.
    func hasPair() throws(CertificateAuthorityError) -> Bool {
        if access(keyPath, F_OK) == 0 { return true }
        guard errno == ENOENT else { throw .unreadable(path: keyPath, .system(errno: errno)) }
        return false
    }

    func open(now: Int64) throws(CertificateAuthorityError) -> CertificateAuthority {
        let keyText = try SmallFile.read(keyPath, isSecret: true)
        let certificateText = try SmallFile.read(certificatePath, isSecret: false)
        guard let key = PrivateKey(pem: keyText) else { throw .malformed(path: keyPath) }
        guard let certificate = Certificate(pem: certificateText) else { throw .malformed(path: certificatePath) }
        guard key.matches(certificate) else { throw .mismatch(key: keyPath, certificate: certificatePath) }
        let facts = certificate.facts
        guard facts.isCA, X509_get_key_usage(certificate.raw) & UInt32(KU_KEY_CERT_SIGN) != 0 else {
            throw .notAuthority(path: certificatePath)
        }
        guard now < facts.notAfter else { throw .expired(path: certificatePath, notAfter: facts.notAfter) }
        let identity = SigningIdentity(certificate: certificate, key: key)
        return CertificateAuthority(identity: identity, certificatePath: certificatePath)
    }

    /// Creates a CA. Writes the key last: a pair without a key does not count.
    func create(now: Int64) throws(CertificateAuthorityError) -> CertificateAuthority {
        let identity = try CertificateAuthority.makeIdentity(commonName: nil, now: now)
        try SmallFile.write(identity.certificatePEM, to: certificatePath, mode: 0o644)
        try SmallFile.write(identity.keyPEM, to: keyPath, mode: 0o600)
        fsync(descriptor)
        return CertificateAuthority(identity: identity, certificatePath: certificatePath)
    }

    /// Renames the existing files. A second rotation on the same day gets a number.
    func putAside(now: Int64) throws(CertificateAuthorityError) {
        let day = CivilDate(secondsSince1970: now).description
        var suffix = day
        var number = 2
        while [keyPath, certificatePath].contains(where: { access("\($0).\(suffix)", F_OK) == 0 }) {
            suffix = "\(day).\(number)"
            number += 1
        }
        for path in [keyPath, certificatePath] where access(path, F_OK) == 0 {
            let target = "\(path).\(suffix)"
            guard rename(path, target) == 0 else { throw .unwritable(path: target, errno: errno) }
        }
    }

    /// Waits for the lock, at most ``lockTimeout``.
    private static func lock(_ descriptor: Int32, _ path: String) throws(CertificateAuthorityError) {
        let deadline = ContinuousClock.now + lockTimeout
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EINTR || code == EWOULDBLOCK else { throw .unreadable(path: path, .system(errno: code)) }
            guard ContinuousClock.now < deadline else { throw .locked(path: path) }
            // flock(2) cannot wait with a timeout, so this polls.
            usleep(lockPauseMicroseconds)
        }
    }

    private static func modeAndOwner(
        of descriptor: Int32, _ path: String
    ) throws(CertificateAuthorityError) -> (mode: UInt16, owner: UInt32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, .system(errno: errno)) }
        return (UInt16(truncatingIfNeeded: status.st_mode & 0o777), status.st_uid)
    }

    private static let lockTimeout = Duration.seconds(5)
    private static let lockPauseMicroseconds: UInt32 = 20_000

}

/// The reason why the local CA cannot be used. Every case about a file names it.
public enum CertificateAuthorityError: Error, Sendable, Hashable {
    case unreadable(path: String, FileFault)
    case unwritable(path: String, errno: Int32)
    /// Others can read the key, or write into its directory. `mode` is the lower nine bits.
    case exposed(path: String, mode: UInt16)
    /// The owner is neither this user nor root, and could replace the key.
    case foreign(path: String, owner: UInt32)
    /// Another gate holds the directory's lock and did not release it in time.
    case locked(path: String)
    case missing(path: String)
    /// Not a PEM certificate, or not a PEM private key without a passphrase.
    case malformed(path: String)
    /// The key does not belong to the certificate.
    case mismatch(key: String, certificate: String)
    case notAuthority(path: String)
    /// `notAfter` in seconds since 1970-01-01 UTC.
    case expired(path: String, notAfter: Int64)
    /// A certificate could not be created.
    case certificate(CertificateError)
}

extension CertificateAuthorityError: CustomStringConvertible {
    /// The file, the problem and the way to fix it.
    public var description: String {
        switch self {
        case .unreadable(let path, let fault): "\(path) cannot be read: \(fault.words)"
        case .unwritable(let path, let code): "\(path) cannot be written: \(Self.text(code))"
        case .exposed(let path, let mode):
            "\(path) is accessible to other users (mode \(String(mode, radix: 8))): chmod go-rwx '\(path)', and rotate "
                + "the CA if another user may have read its key"
        case .foreign(let path, let owner):
            "\(path) belongs to another user (uid \(owner)), who could read or replace the CA's key: chown it, or use "
                + "another directory"
        case .locked(let path): "\(path) is in use by another gate that is starting; try again"
        case .missing(let path): "\(path) is missing: restore it, or create a new CA with `atsgate ca rotate`"
        case .malformed(let path):
            "\(path) is not valid PEM, or has a passphrase: restore it, or create a new CA with `atsgate ca rotate`"
        case .mismatch(let key, let certificate):
            "\(key) is not the key of \(certificate): restore the right pair, or create a new CA with "
                + "`atsgate ca rotate`"
        case .notAuthority(let path):
            "\(path) is not allowed to sign certificates: use a CA certificate, or create a new CA with "
                + "`atsgate ca rotate`"
        case .expired(let path, let notAfter):
            "\(path) expired on \(CivilDate(secondsSince1970: notAfter)): create a new CA with `atsgate ca rotate` and "
                + "install it on the devices"
        case .certificate(let error): "cannot create a certificate: \(error)"
        }
    }

    private static func text(_ code: Int32) -> String { SystemWords.error(code) }
}

extension FileFault {
    /// The text for after a colon.
    var words: String {
        switch self {
        case .system, .directory: SystemWords.error(errno)
        case .notAFile, .tooLong, .notUTF8, .foreignLink: description
        }
    }
}
