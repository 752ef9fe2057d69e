public import Records

/// The results of the loads of one host, rule, device, app, entrance or gate.
public struct ReportTally: Sendable, Hashable {
    public let name: String
    public let counts: [Verdict: Int]
    /// The rules that decided on a host, or the hosts that a rule decided on, without duplicates, in the report's order.
    public let others: [String]

    public var loads: Int { counts.values.reduce(0, +) }
    /// The worst verdict.
    var verdict: Verdict { ReportModel.verdicts.first { counts[$0] != nil } ?? .allowed }

    /// As text: `transparent: 3 (2 outside)`.
    var words: String {
        let outside = counts[.outside] ?? 0
        return "\(name): \(loads)" + (outside > 0 ? " (\(outside) outside)" : "")
    }
}

/// Tallies by name.
struct ReportTallies: Sendable {
    /// In order of first use.
    private(set) var names: [String] = []
    private var counts: [String: [Verdict: Int]] = [:]
    private var others: [String: [String]] = [:]
    private var known: Set<[String]> = []

    mutating func add(_ name: String, _ verdict: Verdict, loads: Int, other: String? = nil) {
        if counts[name] == nil { names.append(name) }
        counts[name, default: [:]][verdict, default: 0] += loads
        if let other, known.insert([name, other]).inserted { others[name, default: []].append(other) }
    }

    subscript(name: String) -> ReportTally? {
        counts[name].map { ReportTally(name: name, counts: $0, others: others[name] ?? []) }
    }

    /// The worst first, then by name.
    var worstFirst: [ReportTally] {
        func rank(_ tally: ReportTally) -> Int { ReportModel.verdicts.firstIndex(of: tally.verdict) ?? 0 }
        return names.compactMap { self[$0] }.sorted { (rank($0), $0.name) < (rank($1), $1.name) }
    }
}

extension ReportModel {
    /// Every host, the worst first, then by name.
    var hosts: [ReportTally] {
        var tallies = ReportTallies()
        for group in sorted { tallies.add(group.host, group.key.verdict, loads: group.loads, other: group.key.rule) }
        return tallies.worstFirst
    }

    /// Every rule that decided, the worst first, then by name.
    var rules: [ReportTally] {
        var tallies = ReportTallies()
        for group in sorted {
            guard let rule = group.key.rule else { continue }
            tallies.add(rule, group.key.verdict, loads: group.loads, other: group.host)
        }
        return tallies.worstFirst
    }

    /// The apps by the name in the User-Agent; `-` for loads without one.
    var apps: [ReportTally] { byApp.names.sorted().compactMap { byApp[$0] } }

    /// The ways in which loads reached the gate, in the order of ``LoadEntrance``.
    var entrances: [ReportTally] { LoadEntrance.allCases.compactMap { byEntrance[$0.rawValue] } }

    /// The ways to show, in words; empty if all loads came through the HTTP proxy.
    var shownEntrances: [String] {
        byEntrance.names.allSatisfy { $0 == LoadEntrance.proxy.rawValue } ? [] : entrances.map(\.words)
    }
}
