import ATSPolicy
import Files
import Foundation
import TLSEngine
import TestSupport
import Testing

@Suite("trusted roots")
struct TrustStoreTests {
    @Test("a missing file is reported with its reason")
    func missing() throws {
        let folder = try Folder(isPrivate: true)
        let path = folder.path + "/none.pem"
        // ENOENT.
        #expect(throws: TrustStoreError.unreadable(path: path, .system(errno: 2))) {
            try TrustStore(systemRootsPEM: [path], userRootsPEM: [])
        }
    }

    @Test("a file without certificates is reported", arguments: ["", "hello"])
    func empty(text: String) throws {
        let folder = try Folder(isPrivate: true)
        let path = try folder.write(text, to: "roots.pem")
        #expect(throws: TrustStoreError.empty(path: path)) { try TrustStore(systemRootsPEM: [], userRootsPEM: [path]) }
    }

    @Test("a root in DER is a user root like one in PEM, and damaged DER is no certificate")
    func binary() throws {
        let folder = try Folder(isPrivate: true)
        let world = try World()
        let root = try #require(Certificate(pem: world.root.certificatePEM)).der
        let path = folder.path + "/root.cer"
        try Data(root).write(to: URL(fileURLWithPath: path))
        let trust = try TrustStore(systemRootsPEM: [], userRootsPEM: [path])
        let (origin, server) = try meeting(atsOffer, try world.settings())
        carry(origin, server)
        #expect(origin.machine.facts(trust: trust)?.anchor == .user)
        try Data(root.dropLast()).write(to: URL(fileURLWithPath: path))
        #expect(throws: TrustStoreError.empty(path: path)) { try TrustStore(systemRootsPEM: [], userRootsPEM: [path]) }
    }

    @Test("a damaged certificate is reported by its number")
    func malformed() throws {
        let folder = try Folder(isPrivate: true)
        let root = try World().root.certificatePEM
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let path = try folder.write(root + broken, to: "roots.pem")
        #expect(throws: TrustStoreError.malformed(path: path, number: 2)) {
            try TrustStore(systemRootsPEM: [path], userRootsPEM: [])
        }
    }

    @Test("an intermediate is refused as a user root, and skipped in a system bundle")
    func intermediates() throws {
        let folder = try Folder(isPrivate: true)
        let world = try World()
        let path = try folder.write(world.intermediate.certificatePEM, to: "roots.pem")
        #expect(throws: TrustStoreError.notSelfIssued(path: path, subject: "CN=Test Intermediate")) {
            try TrustStore(systemRootsPEM: [], userRootsPEM: [path])
        }
        let trust = try TrustStore(systemRootsPEM: [path], userRootsPEM: [])
        let (origin, server) = try meeting(atsOffer, ServerTLSSettings(identity: try world.leaf()))
        carry(origin, server)
        #expect(origin.machine.facts(trust: trust)?.anchor == .incomplete)
    }

    @Test("the platform's bundle loads", .enabled(if: TrustStore.platformBundlePath() != nil))
    func platformBundle() throws {
        let path = try #require(TrustStore.platformBundlePath())
        #expect(throws: Never.self) { try TrustStore(systemRootsPEM: [path], userRootsPEM: []) }
    }
}
