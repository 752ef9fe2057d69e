public import ATSPolicy
public import Records

/// Judges recorded loads by another dictionary: the engine of `replay`.
///
/// Loads are added one by one or in groups of equal loads. Loads that no rule can distinguish are judged once.
public struct RecordingReplay: Sendable {
    /// Loads of one origin with the same result.
    public struct Row: Sendable, Hashable {
        /// The properties that the loads share.
        public struct Key: Sendable, Hashable {
            public let change: Change
            public let target: LoadTarget
            /// The rule that decides now; if the loads are allowed now, the one that decided before.
            public let rule: RuleID?
            /// The reason why the result is unknown.
            public let why: String?
        }

        public let key: Key
        /// The URL of the first load, as it was recorded.
        public let url: String
        public internal(set) var loads: Int
        /// The new verdict.
        public let law: HandshakeVerdict?

        public var host: String { key.target.host }
    }

    private let replay: LoadReplay
    private var rows: [Row] = []
    private var places: [Row.Key: Int] = [:]
    private var known: [LoadGroup.Key: ReplayedLoad] = [:]
    /// The number of loads whose verdict stays the same.
    public private(set) var same = 0
    /// The number of those that are outside: ATS does not apply to them.
    public private(set) var outside = 0

    public init(_ replay: LoadReplay) {
        self.replay = replay
    }

    public var profile: OSProfile { replay.judge.system }

    /// Judges the loads by the replay's release, regardless of theirs.
    public mutating func add(_ group: LoadGroup) {
        let (load, loads) = (group.first, group.loads)
        let answer = answer(group)
        let change = Change(from: load.verdict.replayed, to: answer.verdict)
        guard change != .same else {
            same += loads
            if answer.verdict == .outside { outside += loads }
            return
        }
        let rule = change == .newlyAllowed ? load.rule : answer.rule
        let key = Row.Key(change: change, target: group.target, rule: rule, why: answer.why)
        if let place = places[key] {
            rows[place].loads += loads
        } else {
            places[key] = rows.count
            rows.append(Row(key: key, url: load.load.url, loads: loads, law: answer.law))
        }
    }

    /// The rows with the most loads first, then by host and rule.
    public func rows(_ change: Change) -> [Row] {
        rows.filter { $0.key.change == change }.sorted { one, other in
            if one.loads != other.loads { return one.loads > other.loads }
            return (one.host, one.url, one.key.rule?.rawValue ?? "")
                < (other.host, other.url, other.key.rule?.rawValue ?? "")
        }
    }

    /// The number of loads with a change.
    public func loads(_ change: Change) -> Int {
        change == .same ? same : rows.reduce(0) { $0 + ($1.key.change == change ? $1.loads : 0) }
    }

    private mutating func answer(_ group: LoadGroup) -> ReplayedLoad {
        guard let key = group.key else { return replay.replay(group.first) }
        if let known = known[key] { return known }
        let answer = replay.replay(group.first)
        known[key] = answer
        return answer
    }
}
