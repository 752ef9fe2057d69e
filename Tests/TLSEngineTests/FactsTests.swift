import ATSPolicy
import Bytes
import Foundation
import TLSEngine
import TestSupport
import Testing

@Suite("facts of a handshake")
struct FactsTests {
    @Test("a chain that another client got replaces the facts, and the same chain leaves them")
    func replacedChain() throws {
        let settings = try World().settings()
        let (origin, server) = try meeting(atsOffer, settings)
        carry(origin, server)
        let trust = try TrustStore(systemRootsPEM: [], userRootsPEM: [])
        var facts = try #require(origin.machine.facts(trust: trust))
        facts.staple = StapledAnswer(.good)
        let before = facts
        func put(_ settings: ServerTLSSettings) -> Bool {
            let chain = [settings.identity.certificate.der] + settings.intermediates.map(\.der)
            return trust.put(chain, into: &facts, for: ["origin.test"])
        }
        let isSamePut = put(settings)
        #expect(isSamePut && facts == before)
        let isOtherPut = put(try World().settings())
        #expect(isOtherPut && facts.served.count == 2 && facts.served != before.served && facts.staple == nil)
        let isGarbagePut = trust.put([[1, 2, 3]], into: &facts, for: ["origin.test"])
        #expect(!isGarbagePut)
    }

    private func facts(
        _ settings: ServerTLSSettings, system: [SigningIdentity] = [], user: [SigningIdentity] = [],
        offer: TLSOffer = relaxedOffer
    ) throws -> HandshakeFacts {
        let folder = try Folder(isPrivate: true)
        let trust = try TrustStore(
            systemRootsPEM: system.isEmpty
                ? [] : [folder.write(system.map(\.certificatePEM).joined(), to: "system.pem")],
            userRootsPEM: user.isEmpty ? [] : [folder.write(user.map(\.certificatePEM).joined(), to: "user.pem")])
        let (origin, server) = try meeting(offer, settings)
        carry(origin, server)
        return try #require(origin.machine.facts(trust: trust))
    }

    @Test("a complete chain ends at a system root")
    func systemRoot() throws {
        let world = try World()
        let facts = try facts(try world.settings(), system: [world.root])
        #expect(facts.anchor == .system)
        #expect(facts.version == .tls13)
        #expect(facts.suite.name == "TLS_AES_128_GCM_SHA256")
        #expect(facts.suite.keyExchange == .tls13)
        #expect(facts.group == "X25519")
        #expect(facts.served.map(\.commonName) == ["origin.test", "Test Intermediate"])
        #expect(facts.path.map(\.commonName) == ["origin.test", "Test Intermediate", "Test Root"])
        #expect(facts.scts == SCTCounts())
    }

    @Test("the extended master secret is reported in TLS 1.2 and omitted in 1.3")
    func extendedMasterSecret() throws {
        let world = try World()
        var settings = try world.settings()
        #expect(try facts(settings).usesExtendedMasterSecret == nil)
        settings.maximum = .tls12
        #expect(try facts(settings).usesExtendedMasterSecret == true)
        settings.extendsMasterSecret = false
        #expect(try facts(settings).usesExtendedMasterSecret == false)
    }

    @Test("the signature of the handshake is reported by version and the origin's algorithms")
    func signature() throws {
        let world = try World()
        var settings = ServerTLSSettings(identity: try world.leaf(key: .rsa(bits: 2_048)))
        #expect(try facts(settings).signature == HandshakeSignature(.rsaPSS, hashBits: 256))
        settings.maximum = .tls12
        settings.signatures = "RSA+SHA384"
        #expect(try facts(settings).signature == HandshakeSignature(.rsaPKCS1, hashBits: 384))
        settings.signatures = "RSA+SHA1"
        #expect(try facts(settings).signature == HandshakeSignature(.rsaPKCS1, hashBits: 160))
        settings.cipherList = "AES128-SHA"
        #expect(try facts(settings).signature == nil)
        let ed25519 = ServerTLSSettings(identity: try world.leaf(key: .ed25519))
        #expect(try facts(ed25519).signature == HandshakeSignature(.eddsa, hashBits: nil))
        #expect(try facts(try world.settings()).signature == HandshakeSignature(.ecdsa, hashBits: 256))
    }

    @Test("an offer without SHA-1 signatures gets alert 40 if an origin supports no others")
    func noSHA1() throws {
        let world = try World()
        var settings = ServerTLSSettings(identity: try world.leaf(key: .rsa(bits: 2_048)), maximum: .tls12)
        settings.signatures = "RSA+SHA1"
        var offer = atsOffer
        offer.takesSHA1Signatures = false
        let (origin, server) = try meeting(offer, settings)
        carry(origin, server)
        #expect(origin.machine.state == .failed(.alertReceived(40)))
        settings.signatures = "RSA+SHA1:RSA+SHA256"
        #expect(try facts(settings, offer: offer).signature == HandshakeSignature(.rsaPKCS1, hashBits: 256))
    }

    @Test("a complete chain ends at a user root")
    func userRoot() throws {
        let world = try World()
        #expect(try facts(try world.settings(), user: [world.root]).anchor == .user)
    }

    @Test("a root in both stores counts as the system's")
    func bothRoots() throws {
        let world = try World()
        #expect(try facts(try world.settings(), system: [world.root], user: [world.root]).anchor == .system)
    }

    @Test("a chain without its intermediate is incomplete")
    func incomplete() throws {
        let world = try World()
        let facts = try facts(ServerTLSSettings(identity: try world.leaf()), system: [world.root])
        #expect(facts.anchor == .incomplete)
        #expect(facts.path.map(\.commonName) == ["origin.test"])
    }

    @Test("a served, untrusted root is unknown; without it, the chain is incomplete")
    func unknownRoot() throws {
        let world = try World()
        let other = try World()
        var settings = try world.settings()
        #expect(try facts(settings, system: [other.root]).anchor == .incomplete)
        settings.intermediates.append(world.root.certificate)
        #expect(try facts(settings).anchor == .unknownRoot)
    }

    @Test("a self-signed leaf is recognized, and a user may trust it")
    func selfSigned() throws {
        let leaf = try CertificateRecipe(
            commonName: "origin.test", dnsNames: ["origin.test"], notBefore: now, notAfter: now + day
        ).issued(by: nil)
        let settings = ServerTLSSettings(identity: leaf)
        #expect(try facts(settings).anchor == .selfSignedLeaf)
        #expect(try facts(settings, user: [leaf]).anchor == .user)
    }

    @Test("a chain whose issuer may not sign has a fault at that issuer")
    func issuerIsNoAuthority() throws {
        let world = try World()
        let impostor = try world.leaf()
        let leaf = try CertificateRecipe(
            commonName: "victim.test", dnsNames: ["victim.test"], notBefore: now, notAfter: now + day
        ).issued(by: impostor)
        let settings = ServerTLSSettings(
            identity: leaf, intermediates: [impostor.certificate, world.intermediate.certificate])
        #expect(try facts(settings, system: [world.root]).faults.contains(PathFault(.notCA, at: 1)))
    }

    @Test("expired certificates do not change the path")
    func expired() throws {
        let world = try World()
        let leaf = try CertificateRecipe(
            commonName: "origin.test", dnsNames: ["origin.test"], notBefore: 946_684_800, notAfter: 978_307_200
        ).issued(by: world.intermediate)
        let facts = try facts(world.settings(for: leaf), system: [world.root])
        #expect(facts.anchor == .system)
        #expect(facts.served.first?.notBefore == 946_684_800)
        #expect(facts.served.first?.notAfter == 978_307_200)
    }

    @Test("RSA-1024 and SHA-1 are accepted and reported")
    func weakChain() throws {
        let world = try World(digest: .sha1)
        let facts = try facts(
            world.settings(for: try world.leaf(key: .rsa(bits: 1_024), digest: .sha1)), system: [world.root])
        #expect(facts.anchor == .system)
        let leaf = try #require(facts.served.first)
        #expect(leaf.keyType == .rsa)
        #expect(leaf.keyBits == 1_024)
        #expect(leaf.signature == "ecdsa-with-SHA1")
        #expect(leaf.signatureHashBits == 160)
        #expect(leaf.isCA == false)
        #expect(facts.served.last?.isCA == true)
        #expect(leaf.allowsServerAuth == true)
        #expect(facts.served.last?.allowsServerAuth == nil)
    }

    @Test(
        "elliptic curves are reported with their sizes",
        arguments: zip([CertificateRecipe.Curve.p256, .p384, .p521], [256, 384, 521]))
    func curves(curve: CertificateRecipe.Curve, bits: Int) throws {
        let world = try World()
        let leaf = try #require(
            try facts(world.settings(for: try world.leaf(key: .ec(curve: curve), digest: .sha384))).served.first)
        #expect(leaf.keyType == .ec)
        #expect(leaf.keyBits == bits)
        #expect(leaf.signatureHashBits == 384)
    }

    @Test("all names of the leaf, its fingerprints and its subject are reported")
    func leafFields() throws {
        let identity = try CertificateRecipe(
            commonName: "Zoë", dnsNames: ["a.test", "*.b.test"], ipAddresses: ["192.0.2.7", "2001:db8::7"],
            key: .ed25519, notBefore: now, notAfter: now + day, extendedKeyUsages: [.clientAuth]
        ).issued(by: nil)
        let facts = identity.certificate.facts
        #expect(facts.dnsNames == ["a.test", "*.b.test"])
        #expect(facts.ipAddresses == ["192.0.2.7", "2001:db8::7"])
        #expect(facts.hasSubjectAltName)
        #expect(facts.commonName == "Zoë")
        #expect(facts.subject == "CN=Zoë")
        #expect(facts.isSelfIssued)
        #expect(facts.keyType == .ed25519)
        #expect(facts.signatureHashBits == nil)
        #expect(facts.allowsServerAuth == false)
        #expect(facts.sha256.count == 64)
        #expect(Data(base64Encoded: facts.spkiSHA256)?.count == 32)
        #expect(facts.serial.count == 32)
    }

    @Test("ECDHE in TLS 1.2 reports its group")
    func groupInTLS12() throws {
        var settings = try World().settings()
        settings.maximum = .tls12
        settings.groups = "P-384"
        let facts = try facts(settings, offer: atsOffer)
        #expect(facts.group == "P-384")
        #expect(facts.suite.name == "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384" || facts.suite.keyExchange == .ecdhe)
    }

    @Test("facts exist only after the handshake")
    func noFactsEarly() throws {
        let origin = try meeting(atsOffer, try World().settings()).origin
        #expect(origin.machine.facts(trust: try TrustStore(systemRootsPEM: [], userRootsPEM: [])) == nil)
    }
}
