import ATSPolicy
public import Diagnosis
import Records

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
