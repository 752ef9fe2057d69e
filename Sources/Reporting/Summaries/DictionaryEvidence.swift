import ATSPolicy
import Diagnosis
import Records

/// What the loads of a report tell about the keys of a dictionary, put off until somebody has the dictionary.
struct DictionaryEvidence: Sendable {
    private var groups: [EvidenceGroup] = []
    private var places: [Key: Int] = [:]

    /// What tells loads apart when they are judged again.
    private struct Key: Hashable {
        var evidence: LoadEvidence
        let profile: OSProfile
    }

    /// Loads that this version can not judge again are left out.
    mutating func add(_ group: RecordedGroup) {
        guard let group = EvidenceGroup(group) else { return }
        var key = Key(evidence: group.evidence, profile: group.profile)
        // Certificates hardly run out within a recording; the first load's day stands for all.
        key.evidence.unixSeconds = 0
        if let place = places[key] {
            groups[place].loads += group.loads
        } else {
            places[key] = groups.count
            groups.append(group)
        }
    }

    /// How `declaration` serves the loads, key by key.
    func use(of declaration: Declaration, switches: JudgeSwitches) -> DictionaryUse {
        var gatherer = DictionaryUse.Gatherer(declaration, switches: switches)
        for group in groups { gatherer.add(group) }
        return gatherer.use
    }

    /// How the loads would end on every system.
    func matrix(of declaration: Declaration, switches: JudgeSwitches) -> SystemMatrix {
        SystemMatrix(declaration, switches: switches, loads: groups.map(\.evidence))
    }
}
