import Records

/// A whole report in one line.
struct ReportVerdict {
    private let report: ReportModel

    init(_ report: ReportModel) {
        self.report = report
    }

    /// The worst that happened.
    var worst: Verdict { ReportModel.verdicts.first { report.header.counts[$0] != nil } ?? .outside }

    /// For example `3 of 126 loads blocked, on 2 hosts, by ats.forward-secrecy`.
    var sentence: String {
        let header = report.header
        guard header.loads > 0 else { return "No loads were recorded" }
        let all = header.loads == 1 ? "1 load" : "\(header.loads) loads"
        guard worst.isTrouble, let count = header.counts[worst] else { return "All is well: \(all), none refused" }
        let groups = report.groups(worst)
        let hosts = Set(groups.map(\.host)).count
        let rules = Set(groups.compactMap(\.key.rule)).sorted()
        let by = rules.isEmpty ? "" : ", by \(rules.count > 3 ? "\(rules.count) rules" : rules.joined(separator: ", "))"
        return "\(count) of \(all) \(worst.pastWords), on \(hosts) \(hosts == 1 ? "host" : "hosts")\(by)"
    }
}

extension Verdict {
    fileprivate var pastWords: String {
        switch self {
        case .wouldBlock: "would be blocked"
        case .allowed, .blocked, .failed, .outside: words
        }
    }
}
