import Records

/// The results of one host's loads, or of one rule's.
struct ReportTally: Sendable {
    /// The host, or the rule.
    let name: String
    fileprivate(set) var counts: [Verdict: Int] = [:]
    /// The rules that decided on the host, or the hosts that the rule decided on, without duplicates, in the report's
    /// order.
    fileprivate(set) var others: [String] = []
    private var known: Set<String> = []

    fileprivate init(name: String) {
        self.name = name
    }

    var loads: Int { counts.values.reduce(0, +) }
    /// The worst verdict.
    var verdict: Verdict { ReportModel.verdicts.first { counts[$0] != nil } ?? .allowed }

    fileprivate mutating func add(_ group: ReportRow, other: String?) {
        counts[group.key.verdict, default: 0] += group.loads
        if let other, known.insert(other).inserted { others.append(other) }
    }
}

extension ReportModel {
    /// Every host, the worst first, then by name.
    var hosts: [ReportTally] { tallies { ($0.host, $0.key.rule) }.worstFirst }

    /// Every rule that decided, the worst first, then by name.
    var rules: [ReportTally] { tallies { group in group.key.rule.map { ($0, group.host) } }.worstFirst }

    private func tallies(_ names: (ReportRow) -> (name: String, other: String?)?) -> [ReportTally] {
        var tallies: [ReportTally] = []
        var places: [String: Int] = [:]
        for group in sorted {
            guard let (name, other) = names(group) else { continue }
            let place = places[name] ?? tallies.count
            if place == tallies.count {
                places[name] = place
                tallies.append(ReportTally(name: name))
            }
            tallies[place].add(group, other: other)
        }
        return tallies
    }
}

extension [ReportTally] {
    fileprivate var worstFirst: [ReportTally] {
        func rank(_ tally: ReportTally) -> Int { ReportModel.verdicts.firstIndex(of: tally.verdict) ?? 0 }
        return sorted { (rank($0), $0.name) < (rank($1), $1.name) }
    }
}
