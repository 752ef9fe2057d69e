import ATSPolicy
import Bytes
import TLSEngine
import TestSupport
import Testing

@Suite("minted leaves")
struct LeafMintTests {
    private let authority: CertificateAuthority

    init() throws {
        authority = try CertificateAuthority.ephemeral(commonName: "Test CA", now: now)
    }

    private func facts(_ leaf: Leaf) -> CertificateFacts { leaf.identity.certificate.facts }

    @Test("a leaf satisfies ATS")
    func satisfiesATS() throws {
        let facts = facts(try LeafMint(authority: authority).leaf(for: "API.Example.com", now: now))
        #expect(facts.dnsNames == ["api.example.com"])
        #expect(facts.commonName == "api.example.com")
        #expect(facts.issuer == "CN=Test CA")
        #expect(facts.keyType == .ec)
        #expect(facts.keyBits == 256)
        #expect(facts.signatureHashBits == 256)
        #expect(facts.allowsServerAuth == true)
        #expect(facts.isCA == false)
        #expect(facts.notBefore < now)
        #expect(facts.notAfter - facts.notBefore <= 197 * day)
        #expect(facts.serial.count >= 16)
    }

    @Test("a client that trusts the CA needs only the leaf")
    func verifies() throws {
        let folder = try Folder(isPrivate: true)
        let trust = try TrustStore(
            systemRootsPEM: [], userRootsPEM: [folder.write(authority.certificatePEM, to: "ca.pem")])
        let leaf = try LeafMint(authority: authority).leaf(for: "a.test", now: now)
        let (origin, server) = try meeting(atsOffer, ServerTLSSettings(identity: leaf.identity))
        carry(origin, server)
        let facts = try #require(origin.machine.facts(trust: trust))
        #expect(facts.anchor == .user)
        #expect(facts.path.count == 2)
    }

    @Test("addresses become IP address names", arguments: ["192.0.2.1", "2001:db8::1", "[2001:db8::1]", "::1"])
    func addresses(host: String) throws {
        let facts = facts(try LeafMint(authority: authority).leaf(for: host, now: now))
        #expect(facts.ipAddresses == [host.filter { $0 != "[" && $0 != "]" }])
        #expect(facts.dnsNames == [])
    }

    @Test(
        "an unusual spelling of an address is covered along with the address", arguments: ["3221225985", "192.0.513"])
    func oddAddresses(host: String) throws {
        let facts = facts(try LeafMint(authority: authority).leaf(for: host, now: now))
        #expect(facts.ipAddresses == ["192.0.2.1"])
        #expect(facts.dnsNames == [host])
    }

    @Test(
        "odd hosts get one name and cause no crash",
        arguments: ["münchen.example", "a,dns:evil.example", "a b", "*.com", "x\0y", "\u{1F600}.test", "a_b.test"])
    func oddHosts(host: String) throws {
        let facts = facts(try LeafMint(authority: authority).leaf(for: host, now: now))
        #expect(facts.dnsNames == [host])
        #expect(facts.commonName == host)
    }

    @Test("a long host has a name but no common name; an impossible one is an error")
    func longHosts() throws {
        let mint = LeafMint(authority: authority)
        let edge = String(repeating: "a", count: 59) + ".test"
        #expect(facts(try mint.leaf(for: edge, now: now)).commonName == edge)
        let long = String(repeating: "a", count: 60) + ".test"
        #expect(facts(try mint.leaf(for: long, now: now)).commonName == nil)
        #expect(facts(try mint.leaf(for: long, now: now)).dnsNames == [long])
        for host in ["", String(repeating: "a", count: 256)] {
            #expect(throws: CertificateError.host(host)) { try mint.leaf(for: host, now: now) }
        }
    }

    @Test("a leaf is reused, renewed before its end, and never outlives the CA")
    func keepsAndRenews() throws {
        let mint = LeafMint(authority: authority)
        let first = try mint.leaf(for: "a.test", now: now)
        #expect(try mint.leaf(for: "a.test.", now: now + day) === first)
        let end = facts(first).notAfter
        let renewed = try mint.leaf(for: "a.test", now: end - day)
        #expect(renewed !== first)
        #expect(facts(renewed).notAfter > end)
        let late = try mint.leaf(for: "b.test", now: authority.notAfter - day)
        #expect(facts(late).notAfter == authority.notAfter)
    }

    @Test("the cache of leaves is bounded, and the least recently used one is dropped first")
    func bounded() throws {
        let mint = LeafMint(authority: authority, capacity: 2)
        let a = try mint.leaf(for: "a.test", now: now)
        let b = try mint.leaf(for: "b.test", now: now)
        #expect(try mint.leaf(for: "a.test", now: now) === a)
        _ = try mint.leaf(for: "c.test", now: now)
        #expect(try mint.leaf(for: "a.test", now: now) === a)
        #expect(try mint.leaf(for: "b.test", now: now) !== b)
    }

    @Test("every leaf has its own key and serial")
    func ownKeys() throws {
        let mint = LeafMint(authority: authority)
        let made = try (0..<20).map { facts(try mint.leaf(for: "\($0).test", now: now)) }
        #expect(Set(made.map(\.spkiSHA256)).count == 20)
        #expect(Set(made.map(\.serial)).count == 20)
    }

    @Test("a leaf and its key survive a round trip through PEM")
    func readBack() throws {
        let leaf = try LeafMint(authority: authority).leaf(for: "a.test", now: now)
        let pem = leaf.identity.certificatePEM
        let read = try #require(SigningIdentity(certificatePEM: pem, keyPEM: leaf.identity.keyPEM))
        #expect(read.certificate.facts == leaf.identity.certificate.facts)
        #expect(read.certificate.facts.keyType == .ec && read.certificate.facts.keyBits == 256)
        #expect(read.certificate.der == leaf.der)
    }
}
