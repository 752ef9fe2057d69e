import ATSPolicy
import TLSEngine
import TestSupport
import Testing

@Suite("timestamps checked against a list of logs")
struct TransparencyTests {
    private let world: World
    private let folder: Folder
    private let log: LogIdentity

    init() throws {
        world = try World()
        folder = try Folder(isPrivate: true)
        log = try LogIdentity()
    }

    /// The facts of a handshake, for a client that trusts the root and has this list of logs.
    private func facts(_ settings: ServerTLSSettings, list: String?) throws -> HandshakeFacts {
        let root = try folder.write(world.root.certificatePEM, to: "root.pem")
        let logs = try list.map { try TransparencyLogs(path: folder.write($0, to: "logs")) }
        let trust = try TrustStore(systemRootsPEM: [root], userRootsPEM: [], logs: logs)
        let (origin, server) = try meeting(atsOffer, settings)
        carry(origin, server)
        return try #require(origin.machine.facts(trust: trust))
    }

    private func leaf(
        logs: [LogIdentity] = [], madeUp: Int = 0, issuer: SigningIdentity? = nil,
        key: CertificateRecipe.Key = .ec(curve: .p256)
    ) throws -> SigningIdentity {
        var recipe = CertificateRecipe(
            commonName: "origin.test", dnsNames: ["origin.test"], key: key, notBefore: now - day,
            notAfter: now + 90 * day, extendedKeyUsages: [.serverAuth])
        recipe.madeUpTimestamps = madeUp
        recipe.logs = logs
        return try recipe.issued(by: issuer ?? world.intermediate)
    }

    private func embedded(_ logs: [LogIdentity], madeUp: Int = 0, list: String) throws -> SCTReview {
        try #require(try facts(world.settings(for: leaf(logs: logs, madeUp: madeUp)), list: list).sctReview)
    }

    @Test("an embedded timestamp is verified with the log's key, the issuer's key and the leaf without it")
    func embedded() throws {
        let shown = try facts(world.settings(for: leaf(logs: [log])), list: LogFile.json([(log, "usable")]))
        let counted = CountedSCT(source: .embedded, time: now - day, operatorName: "Example")
        #expect(shown.sctReview == SCTReview(counted: [counted], listTime: now - day))
        #expect(shown.scts == SCTCounts(embedded: 1))
    }

    @Test("a list in OpenSSL's format works, without names of operators")
    func configuration() throws {
        let review = try embedded([log], list: LogFile.configuration([log]))
        #expect(review == SCTReview(counted: [CountedSCT(source: .embedded, time: now - day)]))
    }

    @Test("a leaf directly under an unserved root is verified with the known root")
    func underRoot() throws {
        let settings = ServerTLSSettings(identity: try leaf(logs: [log], issuer: world.root))
        #expect(try facts(settings, list: LogFile.configuration([log])).scts == SCTCounts(embedded: 1))
    }

    @Test("without an issuer an embedded timestamp cannot be verified")
    func missingIssuer() throws {
        let settings = ServerTLSSettings(identity: try leaf(logs: [log]))
        let shown = try facts(settings, list: LogFile.configuration([log]))
        #expect(shown.anchor == .incomplete)
        #expect(shown.sctReview?.refused == [.missingIssuer])
        #expect(shown.scts == SCTCounts())
    }

    @Test("timestamps of the TLS extension are verified with the whole leaf", arguments: [TLSVersion.tls12, .tls13])
    func handshake(version: TLSVersion) throws {
        let leaf = try leaf()
        var settings = world.settings(for: leaf)
        settings.maximum = version
        let other = try self.leaf().certificate
        settings.timestamps = [
            try log.timestamp(on: leaf.certificate, at: now - 5), try log.timestamp(on: other, at: now - 5),
        ]
        let shown = try facts(settings, list: LogFile.configuration([log]))
        #expect(shown.version == version)
        #expect(shown.sctReview?.counted == [CountedSCT(source: .handshake, time: now - 5)])
        #expect(shown.sctReview?.refused == [.badSignature])
        #expect(try facts(settings, list: nil).scts == SCTCounts(handshake: 2))
    }

    @Test("timestamps of the stapled response are verified, and the response is read as well")
    func stapled() throws {
        let leaf = try leaf()
        var settings = world.settings(for: leaf)
        var staple = StapleRecipe(.good, thisUpdate: now - day, nextUpdate: now + day)
        staple.timestamps = [try log.timestamp(on: leaf.certificate, at: now - 5)]
        settings.staple = try staple.issued(for: leaf.certificate, by: world.intermediate)
        let shown = try facts(settings, list: LogFile.configuration([log]))
        #expect(shown.sctReview?.counted == [CountedSCT(source: .stapled, time: now - 5)])
        #expect(shown.scts == SCTCounts(stapled: 1))
        #expect(shown.staple?.status == .good)
    }

    @Test("an unlisted log, and one that signs in another's name, do not count")
    func unlistedLogs() throws {
        let review = try embedded(
            [log, try LogIdentity(), try LogIdentity(forging: log)], madeUp: 1, list: LogFile.configuration([log]))
        #expect(review.counted.count == 1)
        #expect(review.refused.sorted { $0.rawValue < $1.rawValue } == [.badSignature, .unknownLog, .unknownLog])
        #expect(review.given == 4)
    }

    @Test(
        "a log may be approved, formerly approved, or never approved",
        arguments: [
            ("usable", nil, nil), ("qualified", nil, nil), ("readonly", nil, nil),
            ("retired 2026-11-19T00:00:01Z", now - day + 1, nil), ("retired 2026-11-19T00:00:00Z", nil, .retiredLog),
            ("retired 2026-11-18T23:59:59Z", nil, .retiredLog), ("rejected", nil, .unapprovedLog),
            ("pending", nil, .unapprovedLog),
        ] as [(String, Int64?, SCTRefusal?)])
    func states(state: String, retirement: Int64?, refusal: SCTRefusal?) throws {
        let review = try embedded([log], list: LogFile.json([(log, state)]))
        #expect(review.refused == (refusal.map { [$0] } ?? []))
        #expect(review.counted.map(\.retirement) == (refusal == nil ? [retirement] : []))
    }

    @Test("a tiled log is marked")
    func tiled() throws {
        #expect(try embedded([log], list: LogFile.json([], tiled: [log])).counted.map(\.isTiled) == [true])
    }

    @Test("leaves with any kind of key can be logged", arguments: [CertificateRecipe.Key.rsa(bits: 2_048), .ed25519])
    func keys(key: CertificateRecipe.Key) throws {
        let settings = world.settings(for: try leaf(logs: [log], key: key))
        // Not every client offers Ed25519; only the certificate matters here.
        let shown = try facts(settings, list: LogFile.configuration([log]))
        #expect(shown.scts == SCTCounts(embedded: 1))
    }

    @Test("without a list timestamps are counted but not reviewed")
    func unlisted() throws {
        let shown = try facts(world.settings(for: leaf(logs: [log], madeUp: 2)), list: nil)
        #expect(shown.scts == SCTCounts(embedded: 3))
        #expect(shown.sctReview == nil && shown.staple == nil)
    }
}
