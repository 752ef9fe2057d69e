import ATSPolicy
import Diagnosis
import Records

/// What the loads of a report tell about the keys of a dictionary, put off until somebody has the dictionary.
struct DictionaryEvidence: Sendable {
    private var cases: [Case] = []
    private var places: [Key: Int] = [:]

    private struct Case: Sendable {
        let evidence: LoadEvidence
        let profile: OSProfile
        let url: String
        var loads: Int
    }

    /// What tells loads apart when they are judged again.
    private struct Key: Hashable {
        var evidence: LoadEvidence
        let profile: OSProfile
    }

    /// Loads that this version can not judge again are left out.
    mutating func add(_ group: RecordedGroup) {
        let record = group.first.record
        let evidence = LoadEvidence(
            record, handshake: group.first.handshake, rule: group.rule, milliseconds: group.earliest)
        guard let evidence, let profile = OSProfile.named(record.policy.os) else { return }
        var key = Key(evidence: evidence, profile: profile)
        // Certificates hardly run out within a recording; the first load's day stands for all.
        key.evidence.unixSeconds = 0
        if let place = places[key] {
            cases[place].loads += group.loads
        } else {
            places[key] = cases.count
            cases.append(
                Case(evidence: evidence, profile: profile, url: record.load.url, loads: group.loads))
        }
    }

    /// How `declaration` serves the loads, key by key.
    func use(of declaration: Declaration, switches: JudgeSwitches) -> DictionaryUse {
        var gatherer = DictionaryUse.Gatherer(declaration, switches: switches)
        for (number, load) in cases.enumerated() {
            gatherer.add(
                load.evidence, on: load.profile, url: load.url,
                handshake: load.evidence.handshake.map { _ in Int64(number) },
                loads: load.loads)
        }
        return gatherer.use
    }

    /// How the loads would end on every system.
    func matrix(of declaration: Declaration, switches: JudgeSwitches) -> SystemMatrix {
        SystemMatrix(declaration, switches: switches, loads: cases.map(\.evidence))
    }
}
