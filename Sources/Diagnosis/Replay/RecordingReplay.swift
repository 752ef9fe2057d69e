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
    private var known: [EvidenceGroup.Key: ReplayedLoad] = [:]
    /// Loads whose verdict stays.
    public private(set) var same = 0
    /// How many of those are outside: ATS does not govern them.
    public private(set) var outside = 0

    public init(_ replay: LoadReplay) {
        self.replay = replay
    }

    public var profile: OSProfile { replay.judge.system }

    /// Takes loads in, and judges them by the replay's system, whatever theirs is.
    public mutating func add(_ group: EvidenceGroup) {
        let (load, loads) = (group.evidence, group.loads)
        let answer = answer(group)
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
            rows.append(Row(key: key, url: group.url, loads: loads, law: answer.law))
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

    private mutating func answer(_ group: EvidenceGroup) -> ReplayedLoad {
        guard let key = group.key else { return replay.replay(group.evidence) }
        if let known = known[key] { return known }
        let answer = replay.replay(group.evidence)
        known[key] = answer
        return answer
    }
}
