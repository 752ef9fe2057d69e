import ATSPolicy
import Foundation
import TLSEngine
import TestSupport
import Testing

@Suite("the local CA and its files")
struct CertificateAuthorityTests {
    @Test("a new CA is private, may sign one level, and is reopened unchanged")
    func createAndReopen() throws {
        let folder = try Folder(isPrivate: true)
        let directory = folder.path + "/made/here"
        let first = try CertificateAuthority.openOrCreate(directory: directory, now: now)
        let second = try CertificateAuthority.openOrCreate(directory: directory, now: now + day)
        #expect(first.certificateDER == second.certificateDER)
        #expect(first.certificatePath == directory + "/ca-cert.pem")
        #expect(try folder.mode(of: "made/here") == 0o700)
        #expect(try folder.mode(of: "made/here/ca-key.pem") == 0o600)
        let facts = try #require(Certificate(pem: first.certificatePEM)).facts
        #expect(facts.isCA)
        #expect(facts.isSelfIssued)
        #expect(facts.keyBits == 256)
        #expect(facts.commonName?.wholeMatch(of: /atsgate local CA [0-9a-f]{8}/) != nil)
        #expect(first.fingerprint == facts.sha256)
        #expect(first.notAfter == now + 3_650 * day)
    }

    @Test("concurrent starts agree on one CA", .timeLimit(.minutes(1)))
    func concurrentCreation() async throws {
        let folder = try Folder(isPrivate: true)
        let directory = folder.path + "/ca"
        let prints = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 {
                group.addTask { try CertificateAuthority.openOrCreate(directory: directory, now: now).fingerprint }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(prints.count == 1)
    }

    @Test("a key that others can read is refused", arguments: [0o640, 0o604, 0o660, 0o644])
    func exposedKey(mode: Int) throws {
        let folder = try Folder(isPrivate: true)
        _ = try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        let key = folder.path + "/ca-key.pem"
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
        let error = CertificateAuthorityError.exposed(path: key, mode: UInt16(mode))
        #expect(throws: error) { try CertificateAuthority.openOrCreate(directory: folder.path, now: now) }
        #expect(error.description.contains(key))
        #expect(error.description.contains("chmod"))
    }

    @Test("a directory that others can write is refused")
    func exposedDirectory() throws {
        let folder = try Folder(isPrivate: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        #expect(throws: CertificateAuthorityError.exposed(path: folder.path, mode: 0o777)) {
            try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        }
    }

    @Test(
        "wrong contents cause an error that names the file",
        arguments: ["ca-key.pem", "ca-cert.pem"], ["", "nonsense", "\0\u{1}\u{2}"])
    func wrongContents(name: String, text: String) throws {
        let folder = try Folder(isPrivate: true)
        _ = try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        let path = try folder.write(text, to: name)
        #expect(throws: CertificateAuthorityError.malformed(path: path)) {
            try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        }
    }

    @Test("a key and a certificate that do not match are refused")
    func mismatch() throws {
        let folder = try Folder(isPrivate: true)
        let other = try Folder(isPrivate: true)
        _ = try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        let stranger = try CertificateAuthority.openOrCreate(directory: other.path, now: now)
        let path = try folder.write(stranger.certificatePEM, to: "ca-cert.pem")
        #expect(throws: CertificateAuthorityError.mismatch(key: folder.path + "/ca-key.pem", certificate: path)) {
            try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        }
    }

    @Test("a key without its certificate is refused; a certificate without a key is replaced")
    func halfAPair() throws {
        let folder = try Folder(isPrivate: true)
        let first = try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        let certificate = folder.path + "/ca-cert.pem"
        try FileManager.default.removeItem(atPath: certificate)
        #expect(throws: CertificateAuthorityError.missing(path: certificate)) {
            try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        }
        _ = try folder.write(first.certificatePEM, to: "ca-cert.pem")
        try FileManager.default.removeItem(atPath: folder.path + "/ca-key.pem")
        #expect(
            try CertificateAuthority.openOrCreate(directory: folder.path, now: now).fingerprint != first.fingerprint)
    }

    @Test("an expired CA and a certificate that is not a CA are refused")
    func unusable() throws {
        let folder = try Folder(isPrivate: true)
        let authority = try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        let path = folder.path + "/ca-cert.pem"
        #expect(throws: CertificateAuthorityError.expired(path: path, notAfter: authority.notAfter)) {
            try CertificateAuthority.openOrCreate(directory: folder.path, now: authority.notAfter)
        }
        let leaf = try CertificateRecipe(commonName: "leaf", notBefore: now, notAfter: now + day).issued(by: nil)
        _ = try folder.write(leaf.certificatePEM, to: "ca-cert.pem")
        _ = try folder.write(leaf.keyPEM, to: "ca-key.pem")
        #expect(throws: CertificateAuthorityError.notAuthority(path: path)) {
            try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        }
    }

    @Test("rotation keeps the old pair under its date")
    func rotation() throws {
        let folder = try Folder(isPrivate: true)
        let first = try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        let second = try CertificateAuthority.rotate(directory: folder.path, now: now)
        _ = try CertificateAuthority.rotate(directory: folder.path, now: now)
        #expect(first.fingerprint != second.fingerprint)
        #expect(
            try folder.names() == [
                "ca-cert.pem", "ca-cert.pem.2026-11-20", "ca-cert.pem.2026-11-20.2", "ca-key.pem",
                "ca-key.pem.2026-11-20", "ca-key.pem.2026-11-20.2",
            ])
        #expect(try folder.mode(of: "ca-key.pem.2026-11-20") == 0o600)
        let kept = try String(contentsOfFile: folder.path + "/ca-cert.pem.2026-11-20", encoding: .utf8)
        #expect(kept == first.certificatePEM)
    }

    @Test("a directory or a key of another account is refused", .enabled(if: geteuid() == 0, "needs root"))
    func foreign() throws {
        let folder = try Folder(isPrivate: true)
        _ = try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
        let key = folder.path + "/ca-key.pem"
        for path in [key, folder.path] {
            try #require(chown(path, 12_345, gid_t.max) == 0)
            #expect(throws: CertificateAuthorityError.foreign(path: path, owner: 12_345)) {
                try CertificateAuthority.openOrCreate(directory: folder.path, now: now)
            }
            try #require(chown(path, 0, gid_t.max) == 0)
        }
        #expect(throws: Never.self) { try CertificateAuthority.openOrCreate(directory: folder.path, now: now) }
    }

    @Test("a directory that cannot be created causes an error that names the path")
    func unwritable() throws {
        let folder = try Folder(isPrivate: true)
        let file = try folder.write("", to: "file")
        #expect(throws: CertificateAuthorityError.self) {
            try CertificateAuthority.openOrCreate(directory: file + "/ca", now: now)
        }
    }
}
