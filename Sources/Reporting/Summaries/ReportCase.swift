import Diagnosis
import Records

/// The loads of one host that one rule decided, or that no rule objected to.
struct ReportCase: Sendable {
    struct Key: Hashable, Sendable {
        let host: String
        /// nil if there was no problem.
        let rule: String?
    }

    let key: Key
    /// Never empty; the worst verdict first.
    let groups: [ReportRow]
    let judgement: Judgement

    init(key: Key, groups: [ReportRow], by rules: JudgementRules) {
        self.key = key
        self.groups = groups
        judgement = rules.judgement(host: key.host, rule: key.rule, groups.map(\.key.verdict))
    }

    private init(key: Key, groups: [ReportRow], judgement: Judgement) {
        self.key = key
        self.groups = groups
        self.judgement = judgement
    }

    /// The case with only the groups of one verdict; nil if there are none.
    func only(_ verdict: Verdict) -> ReportCase? {
        let groups = groups.filter { $0.key.verdict == verdict }
        return groups.isEmpty ? nil : ReportCase(key: key, groups: groups, judgement: judgement)
    }

    var verdict: Verdict { groups.first?.key.verdict ?? .allowed }
    var loads: Int { groups.reduce(0) { $0 + $1.loads } }
    /// True if it was blocked or failed, or would be blocked, whether or not that counts.
    var isTrouble: Bool { verdict.isTrouble }
    /// True if a report describes it in full: a problem that no baseline lists.
    var isReported: Bool { isTrouble && judgement != .known }

    /// The host and the cause, for titles: `tls10.lab.test: TLS 1.0, ATS needs TLS 1.2 or newer`.
    var headline: String { "\(key.host): \(groups.first?.cause ?? count)" }

    /// The host, the problem and the possible fixes, in sentences on one line.
    var sentence: String {
        guard let worst = groups.first else { return "" }
        var parts = [headline]
        if worst.cause != nil { parts.append(count.capitalizedFirst) }
        if let failure = worst.deviceFailure {
            parts.append("On a device, too: \(failure)")
        } else if let codes = worst.key.codes {
            parts.append("A device reports \(codes)")
        }
        if let fix = worst.serverFix { parts.append("Server: \(fix)") }
        if let fix = worst.exceptionFix { parts.append("To allow it: \(fix)") }
        return parts.map { $0.hasSuffix(".") ? $0 : $0 + "." }.joined(separator: " ")
    }

    /// For example `3 loads blocked`.
    private var count: String { "\(loads) \(loads == 1 ? "load" : "loads") \(verdict.pastWords)" }
}

extension ReportRow {
    /// A suffix that marks inferred findings.
    var doubt: String { confidence == "inferred" ? " (inferred)" : "" }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
