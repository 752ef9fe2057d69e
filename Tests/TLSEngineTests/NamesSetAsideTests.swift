import ATSPolicy
import Foundation
import TLSEngine
import Testing

/// Certificates whose names OpenSSL does not read.
@Suite("names that OpenSSL does not read")
struct NamesSetAsideTests {
    /// Enough names that OpenSSL does not read them.
    private static let crowd = (0..<600).map { "h\($0).good.test" }

    private static func recipe(_ names: [String], isCA: Bool = false) -> CertificateRecipe {
        CertificateRecipe(
            commonName: isCA ? "Root" : "leaf", dnsNames: names, notBefore: now - day, notAfter: now + 90 * day,
            isCA: isCA, extendedKeyUsages: isCA ? nil : [.serverAuth])
    }

    private func facts(
        _ leaf: SigningIdentity, between: [Certificate] = [], root: SigningIdentity, for hosts: [String] = []
    ) throws -> HandshakeFacts {
        let file = NSTemporaryDirectory() + "atsgate-names-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try root.certificatePEM.write(toFile: file, atomically: true, encoding: .utf8)
        let trust = try TrustStore(systemRootsPEM: [file], userRootsPEM: [])
        let (origin, server) = try meeting(atsOffer, ServerTLSSettings(identity: leaf, intermediates: between))
        carry(origin, server)
        let facts = try #require(origin.machine.facts(trust: trust, for: hosts))
        // The cached facts are equal, and OpenSSL sees the same certificate.
        let again = try #require(origin.machine.facts(trust: trust, for: hosts))
        #expect(again.served == facts.served && again.anchor == facts.anchor)
        return facts
    }

    @Test("a leaf with hundreds of names is trusted and read, and keeps its hash")
    func trusted() throws {
        let root = try Self.recipe([], isCA: true).issued(by: nil)
        let leaf = try Self.recipe(Self.crowd).issued(by: root)
        let facts = try facts(leaf, root: root, for: ["h599.good.test"])
        #expect(facts.anchor == .system && facts.path.count == 2)
        let plain = leaf.certificate.facts
        #expect(facts.served[0].sha256 == plain.sha256 && facts.served[0].isCA == plain.isCA)
        #expect(facts.served[0].allowsServerAuth == true)
        #expect(facts.served[0].dnsNames == plain.dnsNames + ["h599.good.test"])
    }

    @Test("a leaf with hundreds of names that another key signed is not trusted")
    func forged() throws {
        let root = try Self.recipe([], isCA: true).issued(by: nil)
        let stranger = try Self.recipe([], isCA: true).issued(by: nil)
        let facts = try facts(try Self.recipe(Self.crowd).issued(by: stranger), root: root)
        #expect(facts.anchor != .system)
    }

    @Test(
        "an issuer's name constraints apply at any position and to any number of names",
        arguments: [(false, false), (false, true), (true, false), (true, true)])
    func constrained(isRoot: Bool, hasStranger: Bool) throws {
        var strict = Self.recipe([], isCA: true)
        strict.permittedNames = ["good.test"]
        let root = try (isRoot ? strict : Self.recipe([], isCA: true)).issued(by: nil)
        strict.commonName = "Below"
        let below = isRoot ? nil : try strict.issued(by: root)
        let leaf = try Self.recipe(Self.crowd + (hasStranger ? ["evil.test"] : [])).issued(by: below ?? root)
        let facts = try facts(leaf, between: below.map { [$0.certificate] } ?? [], root: root, for: ["evil.test"])
        let fault = PathFault(isRoot ? .rootNameConstraints : .nameConstraints, at: 0)
        #expect(facts.anchor == .system && facts.faults == (hasStranger ? [fault] : []))
        #expect(facts.served[0].dnsNames.contains("evil.test") == hasStranger)
    }

    @Test("critical names, as in a certificate without a subject, are not an unknown extension")
    func critical() throws {
        let root = try Self.recipe([], isCA: true).issued(by: nil)
        var recipe = Self.recipe(Self.crowd)
        recipe.commonName = nil
        #expect(try facts(try recipe.issued(by: root), root: root).anchor == .system)
    }
}
