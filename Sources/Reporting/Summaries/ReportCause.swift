import Records

/// Cases with the same verdict, rule and codes of a device: one problem, usually of several hosts.
struct ReportCause: Sendable {
    /// Never empty, in the report's order.
    let cases: [ReportCase]

    /// Groups cases, in order of first appearance.
    static func grouped(_ cases: [ReportCase]) -> [ReportCause] {
        var causes: [[ReportCase]] = []
        var places: [Key: Int] = [:]
        for reported in cases {
            let key = Key(
                rule: reported.key.rule, verdict: reported.verdict, codes: reported.groups.first?.key.codes)
            if let place = places[key] {
                causes[place].append(reported)
            } else {
                places[key] = causes.count
                causes.append([reported])
            }
        }
        return causes.map { ReportCause(cases: $0) }
    }

    private struct Key: Hashable {
        let rule: String?
        let verdict: Verdict
        let codes: String?
    }

    var groups: [ReportRow] { cases.flatMap(\.groups) }
    var loads: Int { cases.reduce(0) { $0 + $1.loads } }
    var hosts: [String] { cases.map(\.key.host).each }
}

extension Sequence where Element: Hashable {
    /// The elements without duplicates, in order of first appearance.
    var each: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
