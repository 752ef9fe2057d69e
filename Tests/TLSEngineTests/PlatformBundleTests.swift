import ATSPolicy
import Foundation
import TLSEngine
import TestSupport
import Testing

@Suite("system roots that are decoded on demand")
struct PlatformBundleTests {
    private static let noCertificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

    private func anchor(_ world: World, bundle: String, userRoots: [String] = []) throws -> TrustAnchor? {
        let trust = try TrustStore(systemRootsPEM: [], platformBundle: bundle, userRootsPEM: userRoots)
        let (origin, server) = try meeting(atsOffer, try world.settings())
        carry(origin, server)
        return origin.machine.facts(trust: trust)?.anchor
    }

    @Test("the root that a chain needs is found among others, some of them unreadable")
    func found() throws {
        let folder = try Folder(isPrivate: true)
        let world = try World()
        let other = try CertificateRecipe(
            commonName: "Other Root", notBefore: 0, notAfter: 4_000_000_000, isCA: true
        ).issued(by: nil)
        let path = try folder.write(
            other.certificatePEM + Self.noCertificate + world.root.certificatePEM, to: "bundle.pem")
        #expect(try anchor(world, bundle: path) == .system)
        let without = try folder.write(other.certificatePEM, to: "other.pem")
        #expect(try anchor(world, bundle: without) == .incomplete)
    }

    @Test("an intermediate in the bundle is not an anchor")
    func intermediate() throws {
        let folder = try Folder(isPrivate: true)
        let world = try World()
        let path = try folder.write(world.intermediate.certificatePEM, to: "bundle.pem")
        #expect(try anchor(world, bundle: path) == .incomplete)
    }

    @Test("a user's root with the same name and another key does not hide it")
    func sameName() throws {
        let folder = try Folder(isPrivate: true)
        let world = try World()
        let bundle = try folder.write(world.root.certificatePEM, to: "bundle.pem")
        let impostor = try folder.write(try World().root.certificatePEM, to: "user.pem")
        #expect(try anchor(world, bundle: bundle, userRoots: [impostor]) == .system)
    }

    @Test("a root that the user also has still counts as the system's")
    func sameRoot() throws {
        let folder = try Folder(isPrivate: true)
        let world = try World()
        let path = try folder.write(world.root.certificatePEM, to: "bundle.pem")
        #expect(try anchor(world, bundle: path, userRoots: [path]) == .system)
    }

    @Test("a block with invalid Base64 is reported by its number, an empty and a missing bundle by their path")
    func broken() throws {
        let folder = try Folder(isPrivate: true)
        let root = try World().root.certificatePEM
        let path = try folder.write(
            root + "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n", to: "b.pem")
        #expect(throws: TrustStoreError.malformed(path: path, number: 2)) {
            try TrustStore(systemRootsPEM: [], platformBundle: path, userRootsPEM: [])
        }
        let empty = try folder.write("", to: "empty.pem")
        #expect(throws: TrustStoreError.empty(path: empty)) {
            try TrustStore(systemRootsPEM: [], platformBundle: empty, userRootsPEM: [])
        }
    }

    /// Every prefix, and changed bytes in the structure of the certificate; the process survives each of them.
    @Test("a truncated or damaged root does not affect the others")
    func mutated() throws {
        let folder = try Folder(isPrivate: true)
        let world = try World()
        let lines = world.root.certificatePEM.split(separator: "\n").dropFirst().dropLast()
        let der = try #require(Data(base64Encoded: lines.joined()))
        var bundle = ""
        func add(_ bytes: Data) {
            bundle += "-----BEGIN CERTIFICATE-----\n\(bytes.base64EncodedString(options: .lineLength64Characters))\n"
            bundle += "-----END CERTIFICATE-----\n"
        }
        for count in 1..<der.count { add(der.prefix(count)) }
        for place in 0..<min(200, der.count) {
            for value in [0, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                var changed = der
                changed[changed.startIndex + place] = value
                add(changed)
            }
        }
        add(der)
        #expect(try anchor(world, bundle: try folder.write(bundle, to: "bundle.pem")) == .system)
    }
}
