public import ATSPolicy
public import Records

/// What becomes of recorded loads under another law: the engine behind `replay`.
///
/// Loads are handed over one by one, or many alike at once; those that no law can tell apart are judged once.
public struct RecordingReplay: Sendable {
    /// Loads of one origin with the same fate.
    public struct Row: Sendable, Hashable {
        /// What the loads have in common.
        public struct Key: Sendable, Hashable {
            public let change: Change
            public let target: LoadTarget
            /// The rule that decides now; where it lets them pass, the one that decided before.
            public let rule: RuleID?
            /// Why nobody knows.
            public let why: String?
        }

        public let key: Key
        /// The first URL met, as it was recorded.
        public let url: String
        public internal(set) var loads: Int
        /// What the law says now.
        public let law: HandshakeVerdict?

        public var host: String { key.target.host }
    }

    private let replay: LoadReplay
    private var rows: [Row] = []
    private var places: [Row.Key: Int] = [:]
    private var known: [Facts: ReplayedLoad] = [:]
    /// Loads whose verdict stays.
    public private(set) var same = 0
    /// How many of those are outside: ATS does not govern them.
    public private(set) var outside = 0

    /// What a verdict is remembered by.
    private struct Facts: Hashable {
        let target: LoadTarget
        let loader: Loader
        let verdict: Verdict
        let rule: RuleID?
        let handshake: Int64?
    }

    public init(_ replay: LoadReplay) {
        self.replay = replay
    }

    public var profile: OSProfile { replay.judge.system }

    /// Takes loads in.
    ///
    /// - Parameters:
    ///   - url: of the first of them.
    ///   - handshake: a number that only loads of the same handshake have; nil where there was none.
    ///   - loads: how many there are.
    public mutating func add(_ load: LoadEvidence, url: String, handshake: Int64?, loads: Int = 1) {
        let answer = answer(load, handshake: handshake)
        let change = Change(from: load.verdict.replayed, to: answer.verdict)
        guard change != .same else {
            same += loads
            if answer.verdict == .outside { outside += loads }
            return
        }
        let rule = change == .newlyAllowed ? load.rule : answer.rule
        let key = Row.Key(change: change, target: load.target, rule: rule, why: answer.why)
        if let place = places[key] {
            rows[place].loads += loads
        } else {
            places[key] = rows.count
            rows.append(Row(key: key, url: url, loads: loads, law: answer.law))
        }
    }

    /// The most loads first, then by host and rule.
    public func rows(_ change: Change) -> [Row] {
        rows.filter { $0.key.change == change }.sorted { one, other in
            if one.loads != other.loads { return one.loads > other.loads }
            return (one.host, one.url, one.key.rule?.rawValue ?? "")
                < (other.host, other.url, other.key.rule?.rawValue ?? "")
        }
    }

    /// How many loads there are of a kind.
    public func loads(_ change: Change) -> Int {
        change == .same ? same : rows.reduce(0) { $0 + ($1.key.change == change ? $1.loads : 0) }
    }

    private mutating func answer(_ load: LoadEvidence, handshake: Int64?) -> ReplayedLoad {
        let facts = Facts(
            target: load.target, loader: load.loader, verdict: load.verdict, rule: load.rule, handshake: handshake)
        // Without a number for it nobody can tell one handshake from another.
        let isTold = handshake != nil || load.handshake == nil && !load.lacksHandshake
        if isTold, let known = known[facts] { return known }
        let answer = replay.replay(load)
        if isTold { known[facts] = answer }
        return answer
    }
}
