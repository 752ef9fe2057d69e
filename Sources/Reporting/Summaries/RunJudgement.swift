import ATSPolicy
public import Diagnosis
import Records

/// The judgement on all loads of a run: what its exit code says, and every form of its report.
public struct RunJudgement: Sendable, Hashable {
    /// The loads of one host that one rule decided over.
    public struct Case: Sendable, Hashable {
        public let host: String
        /// nil where none is told.
        public let rule: String?
        public let judgement: Judgement
        public let loads: Int
    }

    /// In the order met.
    public let cases: [Case]
    /// Why no load was judged; nil where one was, or none needs to be.
    public let nothingJudged: NothingJudged?
    /// Loads that broke where a device's would, too.
    public let failedOnDevice: Int

    /// - Parameter outcomes: how the loads of each host ended, those that passed, too.
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
        // Where something fails, that is what there is to say.
        let fails = cases.contains { $0.judgement == .fails }
        nothingJudged = rules.needsLoads && !fails ? NothingJudged(outcomes) : nil
    }

    /// 1 where something fails, 3 where nothing was judged, else 0.
    public var exitStatus: Int32 {
        if cases.contains(where: { $0.judgement == .fails }) { return 1 }
        return nothingJudged == nil ? 0 : 3
    }

    /// How many loads were judged so.
    public func loads(_ judgement: Judgement) -> Int {
        cases.reduce(0) { $0 + ($1.judgement == judgement ? $1.loads : 0) }
    }
}

/// Why nothing can be said of a run: none of its loads was refused, or came to its end. What broke in the middle does not
/// count, even where its server had passed: the rest of the load was not seen.
public enum NothingJudged: Sendable, Hashable {
    case noLoads
    /// ATS governs none of the clients.
    case outsideOnly
    /// The client took no certificate of the gate.
    case certificatesRefused
    /// Every load broke on the network, before the origin had answered or after.
    case unreached
    /// Every load broke in the origin's TLS, as it would on a device.
    case failedOnDevice
    /// Every client went away, or stopped, before its load was over.
    case abandoned
    /// Every load broke, for different reasons.
    case broken

    /// - Returns: nil where a load was judged.
    init?(_ outcomes: [HostOutcome]) {
        let outcomes = outcomes.filter { $0.loads > 0 }
        guard !outcomes.contains(where: { $0.verdict == .allowed || $0.isViolation }) else { return nil }
        let failed = outcomes.filter { $0.verdict == .failed }
        let rules = failed.map { $0.rule ?? "" }
        if outcomes.isEmpty {
            self = .noLoads
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

    /// One sentence, without its full stop.
    public var sentence: String {
        switch self {
        case .noLoads: "no load came through the gate, so nothing was judged"
        case .outsideOnly: "no load that ATS governs came through the gate, so nothing was judged"
        case .certificatesRefused:
            "the client took no certificate of the gate, so nothing was judged: it does not trust the gate's CA, or the "
                + "app pins its servers"
        case .unreached: "every load broke on the network, so nothing was judged"
        case .failedOnDevice:
            "every load fails on a device, too, and not by ATS, so nothing was judged"
        case .abandoned: "no client stayed with its load to the end, so none counts as judged"
        case .broken: "no load came to its end, so none counts as judged"
        }
    }
}
