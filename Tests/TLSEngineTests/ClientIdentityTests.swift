import ATSPolicy
import Files
import Foundation
import TLSEngine
import TestSupport
import Testing

@Suite("client certificates")
struct ClientIdentityTests {
    let folder: Folder
    let world: World

    init() throws {
        folder = try Folder(isPrivate: true)
        world = try World()
    }

    private func file(_ parts: String..., mode: Int = 0o600) throws -> String {
        try folder.write(parts.joined(separator: "\n"), to: UUID().uuidString, mode: mode)
    }

    private func error(of path: String) -> ClientIdentityError? {
        do throws(ClientIdentityError) {
            _ = try ClientIdentity(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("key, leaf and chain may be in any order")
    func anyOrder() throws {
        let leaf = try world.leaf()
        let parts = [leaf.keyPEM, leaf.certificatePEM, world.intermediate.certificatePEM]
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let path = try file(parts[order[0]], parts[order[1]], parts[order[2]])
            #expect(try ClientIdentity(path: path).certificate.facts.commonName == "origin.test")
        }
    }

    @Test("a broken file causes an error with its fault and its name")
    func brokenFiles() throws {
        let leaf = try world.leaf()
        let nowhere = folder.path + "/nowhere.pem"
        #expect(error(of: nowhere) == .unreadable(path: nowhere, .system(errno: ENOENT)))
        let keyOnly = try file(leaf.keyPEM)
        #expect(error(of: keyOnly) == .noCertificate(path: keyOnly))
        let certificateOnly = try file(leaf.certificatePEM)
        #expect(error(of: certificateOnly) == .noKey(path: certificateOnly))
        let strange = try file(leaf.certificatePEM, try world.leaf().keyPEM)
        #expect(error(of: strange) == .keyOfAnother(path: strange))
        let garbled = try file(
            leaf.keyPEM, leaf.certificatePEM, "-----BEGIN CERTIFICATE-----", "AAAA", "-----END CERTIFICATE-----")
        #expect(error(of: garbled) == .malformedCertificate(path: garbled, number: 2))
        for begin in [
            "-----BEGIN ENCRYPTED PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED",
        ] {
            let encrypted = try file(leaf.certificatePEM, begin, "AAAA")
            #expect(error(of: encrypted) == .encryptedKey(path: encrypted))
            #expect(error(of: encrypted)?.description.contains(encrypted) == true)
        }
    }

    @Test(
        "a file that others can read is marked as exposed", arguments: [(0o600, false), (0o640, true), (0o604, true)])
    func exposure(mode: Int, isExposed: Bool) throws {
        let leaf = try world.leaf()
        let path = try file(leaf.certificatePEM, leaf.keyPEM, mode: mode)
        #expect(try ClientIdentity(path: path).isExposed == isExposed)
    }

    @Test("the facts show whether a certificate was requested and sent", arguments: [TLSVersion.tls12, .tls13])
    func facts(version: TLSVersion) throws {
        let leaf = try world.leaf()
        let identity = try ClientIdentity(
            path: try file(leaf.certificatePEM, world.intermediate.certificatePEM, leaf.keyPEM))
        let trust = try TrustStore(systemRootsPEM: [], userRootsPEM: [])
        for (asks, identity, outcome) in [
            (false, identity, nil), (true, nil, .asked), (true, identity, .sent),
        ] as [(Bool, ClientIdentity?, ClientCertificateUse?)] {
            var settings = try world.settings()
            settings.maximum = version
            settings.requestsClientCertificate = asks
            let context = try OriginTLSContext(offer: atsOffer)
            let serverContext = try ServerTLSContext(settings: settings)
            let origin = try Side {
                try TLSMachine.origin(context, serverName: "origin.test", alpn: [], identity: identity, outbox: $0)
            }
            let server = try Side { try TLSMachine.server(serverContext, outbox: $0) }
            origin.machine.start()
            carry(origin, server)
            #expect(server.machine.state == .established)
            #expect(origin.machine.facts(trust: trust)?.clientCertificate == outcome)
        }
    }
}
