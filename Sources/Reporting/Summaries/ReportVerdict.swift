import Diagnosis
import Records

/// The result of a whole report in one line.
struct ReportVerdict {
    private let loads: Int
    private let nothing: NothingJudged?
    /// The groups that no baseline lists.
    private let shown: [ReportRow]
    private let known: Int
    private let outside: Int

    init(_ report: ReportModel, _ rules: JudgementRules) {
        let judgement = report.judgement(by: rules)
        loads = report.header.loads
        nothing = judgement.nothingJudged
        known = judgement.loads(.known)
        outside = report.header.counts[.outside] ?? 0
        shown = report.cases(by: rules).filter { $0.judgement != .known }.flatMap(\.groups)
    }

    /// The worst verdict that no baseline lists.
    var worst: Verdict {
        ReportModel.verdicts.first { verdict in shown.contains { $0.key.verdict == verdict } }
            ?? (known > 0 ? .allowed : .outside)
    }

    /// The reason why the recording proves nothing, unless it is the sentence itself.
    var doubts: [String] {
        guard let nothing, loads > 0, worst.isTrouble else { return [] }
        return [nothing.sentence.capitalizedFirst]
    }

    /// For example `3 of 126 loads blocked, on 2 hosts, by ats.forward-secrecy`.
    var sentence: String {
        guard loads > 0 else { return nothing?.sentence.capitalizedFirst ?? "No loads were recorded" }
        let notJudged = outside > 0 && worst != .outside ? "; \(outside) outside ATS" : ""
        let failing = shown.reduce(0) { $0 + ($1.deviceFailure == nil ? 0 : $1.loads) }
        let failed = failing > 0 && worst != .failed ? "; \(failing) failed as on a device" : ""
        let also = failed + (known > 0 ? "; \(known) known" : "") + notJudged
        let all = loads == 1 ? "1 load" : "\(loads) loads"
        guard worst.isTrouble else {
            if let nothing { return nothing.sentence.capitalizedFirst }
            let well = known > 0 ? "Nothing new: \(all), \(known) known" : "No problems: \(all), none blocked"
            return well + notJudged
        }
        let groups = shown.filter { $0.key.verdict == worst }
        let count = groups.reduce(0) { $0 + $1.loads }
        let hosts = Set(groups.map(\.host)).count
        let rules = Set(groups.compactMap(\.key.rule)).sorted()
        let by = rules.isEmpty ? "" : ", by \(rules.count > 3 ? "\(rules.count) rules" : rules.joined(separator: ", "))"
        let on = "on \(hosts) \(hosts == 1 ? "host" : "hosts")"
        return "\(count) of \(all) \(worst.pastWords)\(groups.onDevice(worst)), \(on)\(by)\(also)"
    }
}
