internal import ATSPolicy
internal import COpenSSL
internal import Files
internal import Foundation

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
        try Self.makeDirectories(path)
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
        let day = Self.day(of: now)
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

    private static func makeDirectories(_ path: String) throws(CertificateAuthorityError) {
        if access(path, F_OK) == 0 { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            // Another gate may have created it first.
            guard access(path, F_OK) == 0 else { throw .unwritable(path: path, errno: errno) }
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

    /// `YYYY-MM-DD` in UTC.
    private static func day(of seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        return String(format: "%04d-%02d-%02d", parts.tm_year + 1_900, parts.tm_mon + 1, parts.tm_mday)
    }
}
