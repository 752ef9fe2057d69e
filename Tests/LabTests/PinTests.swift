import ATSPolicy
import Lab
import Testing

/// Source: Apple, NSPinnedDomains; docs/law/pinning.md#with-ats-off.
@Suite("pins can be tried with the keys that the lab lists", .timeLimit(.minutes(1)))
struct PinTests {
    let neighbourhood: LabEnvironment
    let origin: LabOrigin
    let leaf: String
    let other: String

    init() throws {
        neighbourhood = try LabEnvironment.shared.get()
        origin = try #require(neighbourhood.lab.origin(named: "good.lab.test"))
        leaf = try #require(origin.leafKey)
        other = try #require(neighbourhood.lab.origin(named: "good12.lab.test")?.leafKey)
    }

    private func rule(
        leaf: [String]? = nil, authority: [String]? = nil, root: LabRoot = .system
    ) async throws -> RuleID? {
        let declaration = try Declaration(pinning: origin.name, leaf: leaf, authority: authority)
        let trial = Trial(neighbourhood: neighbourhood, declaration: declaration, profile: .newest, root: root)
        return try await trial.verdict(on: origin)?.rule
    }

    @Test("a pin of the leaf or of an issuer allows the origin", arguments: LabRoot.allCases)
    func matching(root: LabRoot) async throws {
        #expect(try await rule(leaf: [leaf], root: root) == nil)
        #expect(try await rule(leaf: [other, leaf], root: root) == nil)
        for authority in origin.authorityKeys {
            #expect(try await rule(authority: [authority], root: root) == nil)
            #expect(try await rule(leaf: [leaf], authority: [authority], root: root) == nil)
        }
    }

    @Test("another pin, or one in the other list, blocks the origin under any anchor", arguments: LabRoot.allCases)
    func missing(root: LabRoot) async throws {
        let issuer = try #require(origin.authorityKeys.first)
        #expect(try await rule(leaf: [other], root: root) == .pinnedIdentity)
        #expect(try await rule(authority: [other], root: root) == .pinnedIdentity)
        #expect(try await rule(leaf: [issuer], root: root) == .pinnedIdentity)
        #expect(try await rule(authority: [leaf], root: root) == .pinnedIdentity)
        #expect(try await rule(leaf: [leaf], authority: [other], root: root) == .pinnedIdentity)
        #expect(try await rule(leaf: [], root: root) == .pinnedIdentity)
    }
}
