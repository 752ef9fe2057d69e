import ATSPolicy
import Seeded
import TLSEngine
import TestSupport
import Testing

@Suite("the search for all paths")
struct PathSearchTests {
    private static func authority(
        _ name: String, by issuer: SigningIdentity? = nil, sharing other: SigningIdentity? = nil,
        _ change: (inout CertificateRecipe) -> Void = { _ in }
    ) throws -> SigningIdentity {
        let recipe = CertificateRecipe(
            commonName: name, notBefore: now - 100 * day, notAfter: now + 1_000 * day, isCA: true
        ).with(change)
        guard let other else { return try recipe.issued(by: issuer) }
        return try recipe.issued(by: issuer, sharingKeyOf: other)
    }

    private static func leaf(by issuer: SigningIdentity) throws -> SigningIdentity {
        try CertificateRecipe(
            commonName: "origin.test", dnsNames: ["origin.test"], notBefore: now - day, notAfter: now + 90 * day,
            extendedKeyUsages: [.serverAuth]
        ).issued(by: issuer)
    }

    /// The facts of a served chain under some trusted roots.
    private static func facts(
        _ leaf: SigningIdentity, _ others: [SigningIdentity], roots: [SigningIdentity]
    ) throws -> HandshakeFacts {
        let folder = try Folder(isPrivate: true)
        let path = try folder.write(roots.map(\.certificatePEM).joined(), to: "roots.pem")
        let trust = try TrustStore(systemRootsPEM: [path], userRootsPEM: [])
        let settings = ServerTLSSettings(identity: leaf, intermediates: others.map(\.certificate))
        let (origin, server) = try meeting(atsOffer, settings)
        carry(origin, server)
        return try #require(origin.machine.facts(trust: trust, for: ["origin.test"]))
    }

    private static func judged(
        _ facts: HandshakeFacts, on system: OSProfile = .iOS17, at time: Int64 = now
    ) -> (facts: HandshakeFacts, rules: [RuleID]) {
        let handshake = HandshakeCase(
            facts: facts, host: "origin.test", demands: nil, profile: AppleRoots([]).replacing(in: system), now: time,
            basis: RulingBasis(step: .secureDefault))
        let rules = RuleBook.standard.findings(on: handshake).map(\.rule)
        return (handshake.facts, rules.filter { $0 != .certificateTransparency })
    }

    @Test("a second certificate of an intermediate is found if the first ends at an untrusted root or without one")
    func crossSigned() throws {
        let trusted = try Self.authority("Trusted Root")
        let other = try Self.authority("Other Root")
        let good = try Self.authority("Issuer", by: trusted)
        let bad = try Self.authority("Issuer", by: other, sharing: good)
        let leaf = try Self.leaf(by: good)
        for served in [[good, bad], [bad, good], [bad, good, other], [bad, other, good]] {
            let judged = Self.judged(try Self.facts(leaf, served, roots: [trusted]))
            #expect(judged.rules.isEmpty)
            #expect(judged.facts.anchor == .system)
            #expect(judged.facts.path.map(\.commonName) == ["origin.test", "Issuer", "Trusted Root"])
        }
    }

    @Test("a path of 15 certificates is found, and a longer one is not")
    func longest() throws {
        for (count, isFound) in [(13, true), (14, false)] {
            let (root, other) = (try Self.authority("Root"), try Self.authority("Other Root"))
            var issuers = [root]
            for number in 1...count { issuers.append(try Self.authority("CA \(number)", by: issuers[number - 1])) }
            let bad = try Self.authority("CA \(count)", by: other, sharing: issuers[count])
            let served = [bad] + issuers.dropFirst().reversed()
            let facts = try Self.facts(try Self.leaf(by: issuers[count]), served, roots: [root])
            #expect((facts.anchor == .system) == isFound, "\(count) issuers")
        }
    }

    @Test("CAs that signed each other form no endless path, and the way out is found")
    func cycle() throws {
        let trusted = try Self.authority("Trusted Root")
        let (first, second) = (try Self.authority("First"), try Self.authority("Second"))
        let firstBySecond = try Self.authority("First", by: second, sharing: first)
        let secondByFirst = try Self.authority("Second", by: first, sharing: second)
        let out = try Self.authority("Second", by: trusted, sharing: second)
        let leaf = try Self.leaf(by: first)
        let lost = try Self.facts(leaf, [firstBySecond, secondByFirst], roots: [trusted])
        #expect(lost.anchor != .system && lost.otherPaths.isEmpty)
        let found = Self.judged(try Self.facts(leaf, [firstBySecond, secondByFirst, out], roots: [trusted]))
        #expect(found.rules.isEmpty)
        #expect(found.facts.path.map(\.commonName) == ["origin.test", "First", "Second", "Trusted Root"])
    }

    @Test("an intermediate that is a trusted root, too, ends the path there")
    func trustedIntermediate() throws {
        let root = try Self.authority("New Root")
        let old = try Self.authority("Old Root")
        let cross = try Self.authority("New Root", by: old, sharing: root)
        let judged = Self.judged(try Self.facts(try Self.leaf(by: root), [cross, old], roots: [root]))
        #expect(judged.rules.isEmpty)
        #expect(judged.facts.path.count == 2)
    }

    @Test("dates decide between two paths at each time, and an expired root does not pass")
    func dates() throws {
        let (old, new) = (
            try Self.authority("Old Root") { $0.notAfter = now + 10 * day }, try Self.authority("New Root")
        )
        let byNew = try Self.authority("Issuer", by: new)
        let byOld = try Self.authority("Issuer", by: old, sharing: byNew) { $0.notBefore = now - 90 * day }
        let leaf = try Self.leaf(by: byNew)
        let facts = try Self.facts(leaf, [byOld, byNew], roots: [old, new])
        #expect(facts.otherPaths.count == 1)
        let later = Self.judged(facts, at: now + 20 * day)
        #expect(later.rules.isEmpty && later.facts.path.last?.commonName == "New Root")
        let alone = Self.judged(try Self.facts(leaf, [byOld], roots: [old]), at: now + 20 * day)
        #expect(alone.rules == [.expired])
    }

    @Test("a path that name constraints forbid is not used if another is free")
    func constrainedPath() throws {
        let root = try Self.authority("Root")
        let free = try Self.authority("Issuer", by: root)
        let bound = try Self.authority("Issuer", by: root, sharing: free) { $0.excludedNames = ["origin.test"] }
        let leaf = try Self.leaf(by: free)
        for served in [[bound, free], [free, bound]] {
            #expect(Self.judged(try Self.facts(leaf, served, roots: [root])).rules.isEmpty)
        }
        let facts = try Self.facts(leaf, [bound], roots: [root])
        #expect(facts.anchor == .system && facts.faults == [PathFault(.nameConstraints, at: 0)])
        #expect(Self.judged(facts).rules == [.invalidChain])
    }

    @Test("constraints and lengths of the root, and a root without basic constraints, count by release")
    func rootRules() throws {
        func rules(_ system: String, _ change: (inout CertificateRecipe) -> Void) throws -> [RuleID] {
            let root = try Self.authority("Root", change)
            let issuer = try Self.authority("Issuer", by: root)
            let facts = try Self.facts(try Self.leaf(by: issuer), [issuer], roots: [root])
            #expect(facts.anchor == .system)
            return Self.judged(facts, on: try #require(OSProfile.named(system))).rules
        }
        #expect(try rules("ios12") { $0.excludedNames = ["origin.test"] } == [])
        #expect(try rules("ios13") { $0.excludedNames = ["origin.test"] } == [.invalidChain])
        #expect(try rules("ios14") { $0.pathLength = 0 } == [])
        #expect(try rules("ios15") { $0.pathLength = 0 } == [.invalidChain])
        #expect(try rules("ios13") { $0.hasBasicConstraints = false } == [])
        #expect(try rules("ios14") { $0.hasBasicConstraints = false } == [.invalidChain])
        #expect(try rules("ios12.2") { $0.key = .rsa(bits: 1_024) } == [])
        #expect(try rules("ios13") { $0.key = .rsa(bits: 1_024) } == [.rootKey])
    }

    @Test("a release without the root uses the path to an older one, or refuses the chain")
    func rootsOfARelease() throws {
        let (old, new) = (try Self.authority("Old Root"), try Self.authority("New Root"))
        let cross = try Self.authority("New Root", by: old, sharing: new)
        let issuer = try Self.authority("Issuer", by: new)
        let leaf = try Self.leaf(by: issuer)
        let whole = try Self.facts(leaf, [issuer, cross], roots: [old, new])
        let short = try Self.facts(leaf, [issuer], roots: [new])
        let key = try #require(short.path.last?.spkiSHA256)
        let table = AppleRoots([try #require(AppleRoot(row: "- 15.1: 12.0.1: DD 00 New Root", key: key))])
        func judged(_ facts: HandshakeFacts, _ system: String) throws -> HandshakeCase {
            let profile = table.replacing(in: try #require(OSProfile.named(system)))
            return HandshakeCase(
                facts: facts, host: "origin.test", demands: nil, profile: profile, now: now,
                basis: RulingBasis(step: .secureDefault))
        }
        let verdict = RuleBook.standard.judge(try judged(short, "ios14"))
        #expect(verdict.rule == .unknownRoot && verdict.failure != nil)
        #expect(verdict.findings.first?.observed.contains("since iOS 15.1 and macOS 12.0.1 (documented)") == true)
        #expect(RuleBook.standard.findings(on: try judged(short, "ios16")).first?.rule != .unknownRoot)
        let other = try judged(whole, "ios14")
        #expect(other.facts.path.last?.commonName == "Old Root")
        #expect(!RuleBook.standard.findings(on: other).map(\.rule).contains(.unknownRoot))
        #expect(try judged(whole, "ios16").facts.path.last?.commonName == "New Root")
    }

    /// Random CAs that sign each other: a root is reached if and only if the graph has a way, the same on every run.
    @Test("random graphs with cycles are searched completely and always alike", arguments: 0..<12)
    func randomGraphs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let root = try Self.authority("Trusted Root")
        let keys = try (0..<4).map { try Self.authority("CA \($0)") }
        var edges: [(child: Int, issuer: Int)] = []
        var served: [SigningIdentity] = []
        for child in keys.indices {
            for issuer in keys.indices where issuer != child && Int.random(in: 0..<3, using: &random) == 0 {
                edges.append((child, issuer))
                served.append(try Self.authority("CA \(child)", by: keys[issuer], sharing: keys[child]))
            }
        }
        let last = Int.random(in: 0...3, using: &random)
        served.append(try Self.authority("CA \(last)", by: root, sharing: keys[last]))
        served.shuffle(using: &random)
        var reached: Set<Int> = [0]
        for _ in keys { for edge in edges where reached.contains(edge.child) { reached.insert(edge.issuer) } }
        let leaf = try Self.leaf(by: keys[0])
        let facts = try Self.facts(leaf, served, roots: [root])
        #expect((facts.anchor == .system) == reached.contains(last), "seed \(seed)")
        #expect(try Self.facts(leaf, served, roots: [root]).path == facts.path, "seed \(seed)")
        #expect(facts.otherPaths.count < 8)
    }

    @Test("a mesh of CAs without a way out ends within the bounds")
    func mesh() throws {
        let keys = try (0..<7).map { try Self.authority("CA \($0)") }
        let served = try keys.indices.flatMap { child in
            try keys.indices.filter { $0 != child }.map {
                try Self.authority("CA \(child)", by: keys[$0], sharing: keys[child])
            }
        }
        let facts = try Self.facts(try Self.leaf(by: keys[0]), served, roots: [try Self.authority("Trusted Root")])
        #expect(facts.anchor == .incomplete && facts.otherPaths.isEmpty)
    }
}
