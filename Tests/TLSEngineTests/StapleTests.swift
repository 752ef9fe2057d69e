import ATSPolicy
import TLSEngine
import TestSupport
import Testing

@Suite("stapled OCSP responses")
struct StapleTests {
    private let world: World
    private let leaf: SigningIdentity
    private let folder: Folder

    init() throws {
        world = try World()
        leaf = try world.leaf()
        folder = try Folder(isPrivate: true)
    }

    private func answer(
        _ staple: [UInt8]?, version: TLSVersion = .tls13, intermediates: Bool = true
    ) throws -> StapledAnswer? {
        let root = try folder.write(world.root.certificatePEM, to: "root.pem")
        let trust = try TrustStore(systemRootsPEM: [root], userRootsPEM: [])
        var settings = world.settings(for: leaf)
        settings.maximum = version
        settings.staple = staple
        if !intermediates { settings.intermediates = [] }
        let (origin, server) = try meeting(atsOffer, settings)
        carry(origin, server)
        return try #require(origin.machine.facts(trust: trust)).staple
    }

    private func recipe(_ status: StapledAnswer.Status) -> StapleRecipe {
        StapleRecipe(status, thisUpdate: now - day, nextUpdate: now + day)
    }

    private func responder(
        by issuer: SigningIdentity, usages: [CertificateRecipe.ExtendedKeyUsage] = [.ocspSigning],
        from start: Int64 = now - 5 * day
    ) throws -> SigningIdentity {
        try CertificateRecipe(
            commonName: "Responder", notBefore: start, notAfter: now + 30 * day, extendedKeyUsages: usages
        ).issued(by: issuer)
    }

    @Test("the issuer's response is read with its times", arguments: [TLSVersion.tls12, .tls13])
    func read(version: TLSVersion) throws {
        let statuses: [StapledAnswer.Status] = [
            .good, .unknown, .revoked(at: now - 3 * day, reason: 1), .revoked(at: now - 3 * day, reason: nil),
        ]
        for status in statuses {
            let staple = try recipe(status).issued(for: leaf.certificate, by: world.intermediate)
            #expect(
                try answer(staple, version: version)
                    == StapledAnswer(status, thisUpdate: now - day, nextUpdate: now + day))
        }
        let open = StapleRecipe(.good, thisUpdate: now, nextUpdate: nil)
        #expect(
            try answer(open.issued(for: leaf.certificate, by: world.intermediate), version: version)
                == StapledAnswer(.good, thisUpdate: now))
    }

    @Test("a handshake without a staple has no OCSP result")
    func none() throws {
        #expect(try answer(nil) == nil)
    }

    @Test("a responder that the issuer certified may sign")
    func delegated() throws {
        let responder = try responder(by: world.intermediate)
        let staple = try recipe(.good).issued(for: leaf.certificate, by: world.intermediate, signedBy: responder)
        #expect(try answer(staple)?.status == .good)
    }

    @Test("another CA, a certificate for another use and a responder before its validity may not sign")
    func usurped() throws {
        let other = try World()
        let usurpers = [
            try responder(by: other.intermediate), try responder(by: world.intermediate, usages: [.serverAuth]),
            try responder(by: world.intermediate, from: now), other.intermediate, leaf,
        ]
        for usurper in usurpers {
            let staple = try recipe(.revoked(at: now - day, reason: nil)).issued(
                for: leaf.certificate, by: world.intermediate, signedBy: usurper)
            #expect(try answer(staple) == StapledAnswer(.invalid))
        }
    }

    @Test("a response for another leaf, a damaged one and one without a known issuer are invalid")
    func invalid() throws {
        let other = try world.leaf().certificate
        #expect(try answer(recipe(.good).issued(for: other, by: world.intermediate)) == StapledAnswer(.invalid))
        let good = try recipe(.good).issued(for: leaf.certificate, by: world.intermediate)
        #expect(try answer(good, intermediates: false) == StapledAnswer(.invalid))
        // The signed part is at the start.
        for position in stride(from: 4, to: 120, by: 4) {
            var damaged = good
            damaged[position] ^= 1
            #expect(try answer(damaged) == StapledAnswer(.invalid), "byte \(position)")
        }
        for bytes in [[0], Array(good.prefix(40)), [UInt8](repeating: 0x30, count: 500)] {
            #expect(try answer(bytes) == StapledAnswer(.invalid))
        }
    }
}
