import ATSPolicy
public import Diagnosis
public import Records

/// The judgement on all loads of a run: the basis of its exit code and of every report.
public struct RunJudgement: Sendable, Hashable {
    /// The loads of one host that one rule decided.
    public struct Case: Sendable, Hashable {
        public let host: String
        /// nil if no rule decided.
        public let rule: String?
        public let judgement: Judgement
        public let loads: Int
    }

    /// In order of first appearance.
    public let cases: [Case]
    /// The reason why no load was judged; nil if one was, or none is required.
    public let nothingJudged: NothingJudged?
    /// Loads that failed and would also fail on a device.
    public let failedOnDevice: Int

    /// - Parameter outcomes: the results for each host, including allowed loads.
    public init(_ outcomes: [HostOutcome], by rules: JudgementRules) {
        struct Key: Hashable {
            let host: String
            let rule: String?
        }
        var verdicts: [Key: [Verdict: Int]] = [:]
        var keys: [Key] = []
        for outcome in outcomes {
            let key = Key(host: outcome.host, rule: outcome.rule)
            if verdicts[key] == nil { keys.append(key) }
            verdicts[key, default: [:]][outcome.verdict, default: 0] += outcome.loads
        }
        cases = keys.map { key in
            let counts = verdicts[key] ?? [:]
            return Case(
                host: key.host, rule: key.rule,
                judgement: rules.judgement(host: key.host, rule: key.rule, counts.keys),
                loads: counts.values.reduce(0, +))
        }
        failedOnDevice = outcomes.reduce(0) { $0 + ($1.failsOnDevice ? $1.loads : 0) }
        // A failed case is the more important result.
        let fails = cases.contains { $0.judgement == .fails }
        nothingJudged = rules.needsLoads && !fails ? NothingJudged(outcomes) : nil
    }

    /// 1 if a case fails, 3 if nothing was judged, otherwise 0.
    public var exitStatus: Int32 {
        if cases.contains(where: { $0.judgement == .fails }) { return 1 }
        return nothingJudged == nil ? 0 : 3
    }

    /// The number of loads with a judgement.
    public func loads(_ judgement: Judgement) -> Int {
        cases.reduce(0) { $0 + ($1.judgement == judgement ? $1.loads : 0) }
    }
}

/// The reason why a run proves nothing: none of its loads was blocked or completed. A load that broke off does not
/// count, even if its server was fine, because the rest of it was not seen.
public enum NothingJudged: Sendable, Hashable {
    case noLoads
    /// All clients are ones that ATS does not govern.
    case outsideOnly
    /// A proxy after the gate decrypted all loads, so their origins were not seen.
    case decrypted
    /// The client rejected the gate's certificates.
    case certificatesRefused
    /// Every load failed on the network, before or after the origin's answer.
    case unreached
    /// Every load failed in the origin's TLS, as it would on a device.
    case failedOnDevice
    /// Every client disconnected or stopped before its load ended.
    case abandoned
    /// Every load failed, for different reasons.
    case broken

    /// - Returns: nil if a load was judged.
    init?(_ outcomes: [HostOutcome]) {
        let outcomes = outcomes.filter { $0.loads > 0 }
        guard !outcomes.contains(where: { $0.verdict == .allowed || $0.isViolation }) else { return nil }
        let failed = outcomes.filter { $0.verdict == .failed }
        let rules = failed.map { $0.rule ?? "" }
        let isDecrypted = outcomes.contains { $0.rule == RuleID.netDecrypted.rawValue }
        if outcomes.isEmpty {
            self = .noLoads
        } else if isDecrypted {
            self = .decrypted
        } else if failed.isEmpty {
            self = .outsideOnly
        } else if rules.contains(RuleID.clientRejectedLeaf.rawValue) {
            self = .certificatesRefused
        } else if rules.allSatisfy({ RuleCategory(ofRule: $0) == .network }) {
            self = .unreached
        } else if failed.allSatisfy(\.failsOnDevice) {
            self = .failedOnDevice
        } else if rules.allSatisfy({ $0 == RuleID.clientGone.rawValue }) {
            self = .abandoned
        } else {
            self = .broken
        }
    }

    /// One sentence, without a full stop.
    public var sentence: String {
        switch self {
        case .noLoads: "no load came through the gate, so nothing was judged"
        case .outsideOnly: "no load that ATS governs came through the gate, so nothing was judged"
        case .decrypted:
            "a proxy after the gate decrypted the connections, so the servers were not seen and nothing was judged"
        case .certificatesRefused:
            "the client rejected the gate's certificate, so nothing was judged: it does not trust the gate's CA, or "
                + "the app pins its servers"
        case .unreached: "every load failed on the network, so nothing was judged"
        case .failedOnDevice:
            "every load would also fail on a device, and not because of ATS, so nothing was judged"
        case .abandoned: "every client disconnected before its load ended, so nothing was judged"
        case .broken: "no load was completed, so nothing was judged"
        }
    }
}

/// Loads of one host with the same verdict and rule.
public struct HostOutcome: Sendable, Hashable {
    public let host: String
    /// The deciding rule; nil if there is none.
    public let rule: String?
    public let verdict: Verdict
    public let loads: Int

    public init(host: String, rule: String?, verdict: Verdict, loads: Int) {
        self.host = host
        self.rule = rule
        self.verdict = verdict
        self.loads = loads
    }

    /// True if the loads failed in the origin's TLS, and so would on any device; `atsgate probe` also reports `failed`.
    var failsOnDevice: Bool { verdict == .failed && FailOn.failsOnDevice(rule) }

    /// True if a device would block them, whether or not the gate did.
    public var isViolation: Bool { verdict == .blocked || verdict == .wouldBlock }
}

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
