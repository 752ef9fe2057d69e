import ATSPolicy
import Declarations
import Diagnosis
import Foundation
import Lab
import ProxyCore
import ProxyServer
import Records
import Testing

/// The smallest dictionary for a recorded run of the full lab, tried on the lab itself.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SuggestThroughGateTests {
    @Test("the suggestion allows every load that an exception can allow, and each of its entries is needed")
    func appliedInBulk() async throws {
        let profile = OSProfile.iOS17
        let lab = try SharedLabs.full.get()
        let recorded = try await run(lab.origins, under: "{}", as: profile)
        let suggestion = suggest(for: recorded, as: profile)
        let words = SuggestionWords(suggestion, old: .secureDefaults, recording: nil)
        let live = try await run(lab.origins, under: words.plist, as: profile)
        let passing = Set(live.filter { $0.verdict == .allowed }.map(\.load.target.host))
        let helped = Set(lab.origins.filter { $0.minimalException(on: profile) != nil }.map(\.name))
        #expect(!helped.isEmpty)
        #expect(passing.isSuperset(of: helped))
        #expect(passing.isSuperset(of: recorded.filter { $0.verdict == .allowed }.map(\.load.target.host)))
        #expect(Set(suggestion.keys.entries.keys).isSubset(of: helped))
        #expect(suggestion.entries.allSatisfy { $0.lost == 1 && $0.doubt == nil })
        for entry in suggestion.keys.entries.keys {
            var keys = suggestion.keys
            keys.entries[entry] = nil
            let origin = try #require(lab.origins.first { $0.name == entry })
            let without = try await run([origin], under: PropertyText.json(keys.members), as: profile)
            #expect(without.map(\.verdict) == [.blocked], "\(entry)")
        }
    }

    private func suggest(for records: [LoadRecord], as profile: OSProfile) -> Suggestion {
        var suggester = Suggester(
            old: .secureDefaults, switches: JudgeSwitches(), appTrust: .systemOnly, mayAllowArbitraryLoads: false)
        for (index, record) in records.enumerated() {
            var group = LoadGroup(record, handshakeNumber: Int64(index))
            group.system = profile
            suggester.add(group)
        }
        return suggester.suggestion()
    }

    private func run(_ origins: [LabOrigin], under policy: String, as profile: OSProfile) async throws -> [LoadRecord] {
        let rig = try Rig(policy: policy, lab: try SharedLabs.full.get()) {
            $0.profile = profile
            // One origin stalls in its handshake.
            $0.rules.limits.handshake = .seconds(2)
        }
        let urls = origins.flatMap { ["-o", "/dev/null", $0.url] }
        _ = try await rig.curl(["--parallel", "--parallel-immediate", "--parallel-max", "8"] + urls)
        let records = await rig.sink.wait(for: origins.count)
        rig.finish()
        return records
    }
}

/// A dictionary as a policy file.
private enum PropertyText {
    static func json(_ members: [PropertyMember]) -> String {
        "{" + members.map { "\"\($0.key)\":" + json($0.node.value) }.joined(separator: ",") + "}"
    }

    private static func json(_ value: PropertyValue) -> String {
        switch value {
        case .boolean(let flag): "\(flag)"
        case .string(let text): "\"\(text)\""
        case .dictionary(let members): json(members)
        case .integer, .real, .data, .date, .array: "null"
        }
    }
}
