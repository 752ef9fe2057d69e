import ATSPolicy
import Diagnosis
import Records

/// Loads with the same verdict and reason at the same origin: one row of a report.
struct ReportRow: Sendable {
    /// The values that the loads of a group have in common.
    struct Key: Hashable, Sendable {
        let verdict: Verdict
        let origin: String
        let rule: String?
        let codes: String?
        /// The deciding key, in words.
        let deciding: String?
    }

    let key: Key
    private var group: LoadGroup

    init(_ group: LoadGroup) {
        self.group = group
        let (first, target) = (group.first, group.target)
        key = Key(
            verdict: first.verdict, origin: "\(target.scheme.rawValue)://\(target.host):\(target.port)",
            rule: first.rule?.rawValue, codes: first.apple?.codes, deciding: first.deciding)
    }

    /// The load that was stored first.
    var first: LoadRecord { group.first }
    var loads: Int { group.loads }
    /// When they began.
    var span: LoadSpan { group.span }
    /// Its handshake; nil if there was none.
    var handshake: RecordedHandshake? { first.handshake }

    /// Adds other loads with the same key.
    mutating func add(_ other: ReportRow) { group.add(other.group) }

    var host: String { first.load.target.host }
    /// The first URL.
    var url: String { first.load.url }
    var observed: String? { first.findings.first?.observed }
    /// The cause of the first finding, as in `TLS 1.0, ATS needs TLS 1.2 or newer`; nil without a finding.
    var cause: String? { first.findings.first.map { $0.cause + doubt } }
    var confidence: String? { first.findings.first?.confidence.rawValue }
    /// Other rules that were violated.
    var alsoRules: [String] { first.findings.dropFirst().map(\.rule.rawValue) }
    var serverFix: String? { first.remedy?.sentences.first }
    var exceptionFix: String? { first.remedy?.exception?.sentence }
    var tlsVersion: String? { first.origin?.facts?.version.name }
    /// The number of different URLs, without their queries; at most ``URLTally/limit``.
    var urlCount: Int { group.urls.count }
    /// The error that the app saw, in words; nil if the load was not refused.
    var shown: String? { first.shownWords }

    /// The failure on a device, if the load fails there too although no ATS rule is violated: `failed on iOS 26.4:
    /// tls.closed -1200 [3:-9816]`; nil otherwise.
    var deviceFailure: String? {
        guard key.verdict == .failed, let rule = key.rule, RuleCategory(ofRule: rule) == .tls else { return nil }
        let system = OSProfile.named(first.policy.os)?.title ?? first.policy.os
        return "failed on \(system): \(rule)" + (key.codes.map { " \($0)" } ?? "")
    }

    /// For example ` (+2 other URLs)`; empty if all loads requested the same URL.
    var otherURLs: String {
        let others = urlCount - 1
        guard others > 0 else { return "" }
        let more = group.urls.isFull ? " or more" : ""
        return " (+\(others)\(more) other \(others == 1 ? "URL" : "URLs"))"
    }
}

extension LoadRecord {
    /// The error that the app saw, in words; nil if the load was not refused.
    var shownWords: String? {
        guard let shown = self.shown else { return self.refusal?.words }
        guard let codes = shown.codes else {
            return shown.style == .page ? Refusal.page.words : "a refusal (\(shown.style.rawValue))"
        }
        return "\(codes) (\(shown.style.rawValue))"
    }

    /// The client as the rules see it, and the reason: `app, assumed from curl`. For a client that ATS does not govern,
    /// `Safari, which ATS does not govern`.
    var clientDescription: String {
        let loader = self.client.loader.rawValue
        let isOutside = self.diagnosis?.findings.contains { $0.rule == .clientOutside } == true
        if isOutside, let program = self.client.outsideProgram { return "\(program), which ATS does not govern" }
        guard let program = self.client.assumed?.rawValue else { return loader }
        return "\(loader), assumed from \(program)"
    }
}

extension Refusal {
    /// The error that an app sees. Source: docs/law/refusals.md#styles.
    var words: String {
        switch self {
        case .page: "a page with status 403"
        case .untrustedLeaf: "-1200 [3:-9802] if ATS is on for the host, otherwise -1202"
        case .alert: "the code of a TLS alert"
        case .close: "-1200 [3:-9816]"
        case .mirror: "-1200 [3:-9802] if ATS is on for the host, otherwise -1202 with the code of the defect"
        }
    }
}

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
