import ATSPolicy
import Diagnosis
import Records

/// A recording in groups. All report formats are written from this model, except those with an item for each load.
///
/// Its size grows with the number of groups, not of loads.
struct ReportModel: Sendable {
    private(set) var header = ReportHeader()
    private(set) var hints = ReportHints()
    /// Groups of equal loads, in order of first appearance.
    private(set) var groups: [ReportRow] = []
    private(set) var devices = DeviceList()
    private(set) var byEntrance = ReportTallies()
    private(set) var byApp = ReportTallies()
    /// The groups of the store that were added.
    private(set) var loads: [LoadGroup] = []
    /// The outcomes on devices in witness mode; empty in other modes. Groups do not contain it, so callers that add
    /// groups set it.
    var agreement = DeviceAgreement()
    /// The hellos of devices; set by callers, too.
    var hellos = HelloAgreement()
    private var places: [ReportRow.Key: Int] = [:]

    /// Adds similar loads.
    mutating func add(_ group: LoadGroup) {
        let load = group.first
        header.add(group)
        hints.add(load, loads: group.loads)
        devices.add(load.client, verdict: load.verdict, loads: group.loads)
        byApp.add(load.client.app ?? "-", load.verdict, loads: group.loads)
        byEntrance.add(load.client.wayIn.rawValue, load.verdict, loads: group.loads)
        loads.append(group)
        let row = ReportRow(group)
        if let place = places[row.key] {
            groups[place].add(row)
        } else {
            places[row.key] = groups.count
            groups.append(row)
        }
    }

    /// The groups of one verdict, in order of first appearance.
    func groups(_ verdict: Verdict) -> [ReportRow] { groups.filter { $0.key.verdict == verdict } }

    /// All verdicts, the worst first.
    static let verdicts: [Verdict] = [.blocked, .wouldBlock, .failed, .allowed, .outside]

    /// All groups, the worst first, then by origin and rule, so that the same recording gives the same text.
    var sorted: [ReportRow] {
        Self.verdicts.flatMap { verdict in
            groups(verdict).sorted { ($0.key.origin, $0.key.rule ?? "") < ($1.key.origin, $1.key.rule ?? "") }
        }
    }

    /// Groups by host and rule, the worst first, each judged by `rules`.
    func cases(by rules: JudgementRules) -> [ReportCase] {
        var cases: [(key: ReportCase.Key, groups: [ReportRow])] = []
        var places: [ReportCase.Key: Int] = [:]
        for group in sorted {
            let key = ReportCase.Key(host: group.host, rule: group.key.rule)
            if let place = places[key] {
                cases[place].groups.append(group)
            } else {
                places[key] = cases.count
                cases.append((key, [group]))
            }
        }
        return cases.map { ReportCase(key: $0.key, groups: $0.groups, by: rules) }
    }

    /// The judgement on all loads.
    func judgement(by rules: JudgementRules) -> RunJudgement {
        let outcomes = groups.map {
            HostOutcome(host: $0.host, rule: $0.key.rule, verdict: $0.key.verdict, loads: $0.loads)
        }
        return RunJudgement(outcomes, by: rules)
    }
}
