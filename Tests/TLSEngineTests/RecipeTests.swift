import ATSPolicy
import TLSEngine
import TestSupport
import Testing

@Suite("recipes of certificates")
struct RecipeTests {
    private func recipe(timestamps: Int = 0, key: CertificateRecipe.Key = .ec(curve: .p256)) -> CertificateRecipe {
        CertificateRecipe(
            commonName: "origin.test", dnsNames: ["origin.test"], key: key, notBefore: now - day,
            notAfter: now + 90 * day, extendedKeyUsages: [.serverAuth]
        ).with { $0.madeUpTimestamps = timestamps }
    }

    private func counted(_ timestamps: Int) throws -> SCTCounts {
        let world = try World()
        let leaf = try recipe(timestamps: timestamps).issued(by: world.intermediate)
        let folder = try Folder(isPrivate: true)
        let trust = try TrustStore(
            systemRootsPEM: [folder.write(world.root.certificatePEM, to: "root.pem")], userRootsPEM: [])
        let (origin, server) = try meeting(atsOffer, world.settings(for: leaf))
        carry(origin, server)
        return try #require(origin.machine.facts(trust: trust)).scts
    }

    @Test("made-up timestamps count as embedded ones", arguments: [0, 1, 2, 3, 5])
    func timestamps(count: Int) throws {
        #expect(try counted(count) == SCTCounts(embedded: count))
    }

    @Test("a negative number of timestamps means none, and an excessive one is capped")
    func absurdTimestamps() throws {
        #expect(try counted(-1) == SCTCounts())
        #expect(try counted(100_000) == SCTCounts(embedded: 255))
    }

    @Test("two certificates may share a key and differ otherwise")
    func sharedKey() throws {
        let world = try World()
        let first = try recipe(key: .rsa(bits: 2_048)).issued(by: world.intermediate)
        let second = try recipe(key: .rsa(bits: 2_048)).issued(by: world.root, sharingKeyOf: first)
        #expect(first.certificate.facts.spkiSHA256 == second.certificate.facts.spkiSHA256)
        #expect(first.certificate.facts.serial != second.certificate.facts.serial)
        #expect(second.certificate.facts.issuer == world.root.certificate.facts.subject)
        #expect(second.keyPEM == first.keyPEM)
        #expect(SigningIdentity(certificatePEM: second.certificatePEM, keyPEM: second.keyPEM) != nil)
    }

    @Test("keys below every minimum size can be made if OpenSSL has the curves")
    func small() throws {
        #expect(try recipe(key: .rsa(bits: 2_047)).issued(by: nil).certificate.facts.keyBits == 2_047)
        for (curve, bits) in [(CertificateRecipe.Curve.p192, 192), (.p224, 224)] {
            // Some builds of OpenSSL omit these curves, which is not a failure.
            guard let identity = try? recipe(key: .ec(curve: curve)).issued(by: nil) else { continue }
            #expect(identity.certificate.facts.keyBits == bits)
        }
    }
}
