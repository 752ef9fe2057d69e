import ATSPolicy
import Diagnosis
import Records

/// The loads of a report, kept until a dictionary is known whose keys they can be judged by.
struct DictionaryEvidence: Sendable {
    private var groups: [EvidenceGroup] = []
    private var places: [Key: Int] = [:]

    /// Loads with equal keys give equal results when they are judged again.
    private struct Key: Hashable {
        var evidence: LoadEvidence
        let profile: OSProfile
    }

    /// Adds loads. Ignores loads that this version cannot judge again.
    mutating func add(_ group: LoadGroup) {
        guard let group = EvidenceGroup(group.first, handshake: group.handshakeNumber, loads: group.loads) else {
            return
        }
        var key = Key(evidence: group.evidence, profile: group.profile)
        // Certificates hardly expire within a recording, so the first load's day is used for all.
        key.evidence.unixSeconds = 0
        if let place = places[key] {
            groups[place].loads += group.loads
        } else {
            places[key] = groups.count
            groups.append(group)
        }
    }

    /// How the loads use `declaration`, key by key.
    func use(of declaration: Declaration, switches: JudgeSwitches) -> DictionaryUse {
        var gatherer = DictionaryUse.Gatherer(declaration, switches: switches)
        for group in groups { gatherer.add(group) }
        return gatherer.use
    }

    /// The verdicts on every release.
    func matrix(of declaration: Declaration, switches: JudgeSwitches) -> SystemMatrix {
        SystemMatrix(declaration, switches: switches, loads: groups.map(\.evidence))
    }
}
