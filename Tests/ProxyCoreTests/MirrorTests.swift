import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("--refuse mirror gives the client a leaf with the origin's own defect")
struct MirrorTests {
    private static func refused(
        _ host: String = "bad.test", issuedBy issuer: SigningIdentity? = nil, selfSigned: Bool = false,
        _ flaw: (inout CertificateRecipe) -> Void
    ) throws -> Playbook {
        var recipe = CertificateRecipe(
            commonName: host, dnsNames: [host], notBefore: World.now - World.day,
            notAfter: World.now + 90 * World.day, extendedKeyUsages: [.serverAuth])
        flaw(&recipe)
        let root = try World.root.get()
        let identity = try recipe.issued(by: selfSigned ? nil : issuer ?? root)
        let book = try Playbook(.strict) { $0.refusal = .mirror }
        try book.tunnel(to: host, serving: ServerTLSSettings(identity: identity, alpn: ["http/1.1"]))
        return book
    }

    private static func expect(
        _ book: Playbook, _ rule: RuleID, as refusal: Refusal = .mirror, issuer: String = "CN=Gate",
        _ check: (CertificateFacts) -> Bool
    ) {
        #expect(book.records.map(\.words) == ["blocked - sent=0 received=0 \(refusal.rawValue) \(rule.rawValue)"])
        #expect(book.app?.leaf.map(check) == true, "\(String(describing: book.app?.leaf))")
        #expect(book.app?.leaf?.issuer == issuer)
        book.end(records: 1)
    }

    @Test("an expired origin is mirrored by an expired leaf with the same dates")
    func expired() throws {
        let end = World.now - 3 * World.day
        let book = try Self.refused {
            $0.notBefore = end - 30 * World.day
            $0.notAfter = end
        }
        Self.expect(book, .expired) { $0.notAfter == end && $0.dnsNames == ["bad.test"] }
    }

    @Test("an origin certificate that is not yet valid is mirrored")
    func notYetValid() throws {
        let start = World.now + 3 * World.day
        let book = try Self.refused { $0.notBefore = start }
        Self.expect(book, .notYetValid) { $0.notBefore == start }
    }

    @Test("a certificate for another name is mirrored with that name")
    func wrongName() throws {
        let book = try Self.refused { $0.dnsNames = ["other.test", "*.more.test"] }
        Self.expect(book, .hostName) { $0.dnsNames == ["other.test", "*.more.test"] }
    }

    @Test("a certificate without names is mirrored")
    func withoutNames() throws {
        let book = try Self.refused { $0.includeSAN = false }
        Self.expect(book, .noSAN) { !$0.hasSubjectAltName && $0.commonName == "bad.test" }
    }

    @Test("a validity period that is too long and a wrong key usage are mirrored")
    func useAndPeriod() throws {
        let long = try Self.refused { $0.notAfter = World.now + 900 * World.day }
        Self.expect(long, .validityPeriod) { $0.notAfter == World.now + 900 * World.day }
        let use = try Self.refused { $0.extendedKeyUsages = [.codeSigning] }
        Self.expect(use, .serverAuthEKU) { $0.allowsServerAuth == false }
    }

    @Test("a self-signed certificate is mirrored")
    func selfSigned() throws {
        let book = try Self.refused(selfSigned: true) { _ in }
        Self.expect(book, .selfSigned, issuer: "CN=bad.test") { $0.isSelfIssued && $0.dnsNames == ["bad.test"] }
    }

    @Test("a certificate from an unknown issuer is mirrored")
    func untrusted() throws {
        let strange = try World.strangeRoot.get()
        let book = try Self.refused(issuedBy: strange) { _ in }
        Self.expect(book, .incompleteChain, issuer: "CN=atsgate refused: trust.incomplete-chain") {
            $0.dnsNames == ["bad.test"]
        }
    }

    @Test("a weak key and a weak hash are mirrored unchanged")
    func weak() throws {
        let key = try Self.refused { $0.key = .rsa(bits: 1_024) }
        Self.expect(key, .keySize) { $0.keyType == .rsa && $0.keyBits == 1_024 }
        let hash = try Self.refused { $0.digest = .sha1 }
        Self.expect(hash, .signatureHash) { $0.signatureHashBits == 160 }
    }

    @Test("a defect that no leaf can show, such as weak suites, gets an untrusted leaf")
    func fallback() throws {
        let curve = try Self.refused { $0.key = .ec(curve: .p224) }
        #expect(curve.records.allSatisfy { $0.refusal != .mirror })
        curve.end(records: 1)
        let book = try Playbook(.strict) { $0.refusal = .mirror }
        let settings = try ServerTLSSettings.staticRSA("bad.test")
        try book.tunnel(to: "bad.test", serving: settings)
        book.serve(try book.connected(), as: try OriginPeer(settings))
        #expect(book.app?.leaf?.issuer == "CN=atsgate refused: ats.forward-secrecy")
        #expect(book.records.map(\.refusal) == [.untrustedLeaf])
        book.end(records: 1)
    }
}
