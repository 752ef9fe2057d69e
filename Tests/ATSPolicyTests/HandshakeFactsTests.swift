import ATSPolicy
import Testing

@Suite("facts that are copied from one handshake to another")
struct HandshakeFactsTests {
    /// Facts in which every field differs from those of ``other``, and no field is nil.
    private static let full: HandshakeFacts = {
        var facts = RuleCases.facts
        facts.scts = SCTCounts(embedded: 1, handshake: 2, stapled: 3)
        facts.sctReview = SCTReview()
        facts.staple = StapledAnswer(.good)
        facts.usesExtendedMasterSecret = true
        facts.clientCertificate = .sent
        facts.signature = HandshakeSignature(.ecdsa, hashBits: 384)
        facts.unkeptCertificates = 4
        facts.faults = [PathFault(.pathLength, at: 1)]
        facts.groupLeftOut = HelloShape.hybridGroupName
        facts.otherPaths = [CertificatePath(facts.path, anchor: .user)]
        return facts
    }()

    private static let other = HandshakeFacts(
        version: .tls10, suite: RuleCases.staticRSA, group: nil, alpn: nil, served: [], path: [], anchor: .broken)

    /// The fields in which two sets of facts differ, by name.
    private func differences(_ one: HandshakeFacts, _ two: HandshakeFacts) -> Set<String> {
        let fields = zip(Mirror(reflecting: one).children, Mirror(reflecting: two).children)
        return Set(fields.compactMap { "\($0.value)" == "\($1.value)" ? nil : $0.label })
    }

    @Test("the sample has a value for every field, so that a new fact must be added to it")
    func sample() {
        #expect(differences(Self.full, Self.other).count == Mirror(reflecting: Self.full).children.count)
    }

    @Test("a handshake that shows only version and suite keeps every other fact about the origin")
    func seen() {
        let seen = Self.full.seen(.tls11, RuleCases.staticRSA)
        #expect(differences(seen, Self.full) == ["version", "suite", "group", "groupLeftOut"])
        #expect(differences(Self.full.seen(Self.full.version, Self.full.suite), Self.full) == ["groupLeftOut"])
    }
}
