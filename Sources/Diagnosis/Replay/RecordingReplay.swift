public import ATSPolicy
public import Records
import Text

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

    /// The result of a load under another dictionary, compared with its record.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        case newlyBlocked, newlyAllowed, undecidable, same

        /// A load that failed on the network is newly blocked if it is no longer allowed. One that was blocked is the
        /// same if it fails now: it does not succeed either way.
        public init(from old: ReplayVerdict, to new: ReplayVerdict) {
            switch (old, new) {
            case (_, .undecidable): self = .undecidable
            case (.blocked, .blocked): self = .same
            case (_, .blocked): self = .newlyBlocked
            case (.blocked, .allowed), (.failed, .allowed): self = .newlyAllowed
            case (_, .allowed), (_, .failed), (_, .outside): self = .same
            }
        }

        /// For example `newly blocked`.
        public var words: String {
            switch self {
            case .newlyBlocked: "newly blocked"
            case .newlyAllowed: "newly allowed"
            case .undecidable: "unknown"
            case .same: "same"
            }
        }
    }
}

/// A replay for each release, under one dictionary.
public struct SystemReplays: Sendable {
    private let declaration: Declaration
    private let switches: JudgeSwitches
    private let appTrust: AppTrust
    private let isFixed: Bool
    /// In the order of the requested releases, or in the order in which releases first occurred.
    public private(set) var all: [RecordingReplay] = []

    /// - Parameter systems: the releases to judge every load by; empty for each load's own.
    public init(_ declaration: Declaration, switches: JudgeSwitches, appTrust: AppTrust, systems: [OSProfile]) {
        self.declaration = declaration
        self.switches = switches
        self.appTrust = appTrust
        isFixed = !systems.isEmpty
        for system in systems { begin(system) }
    }

    /// Adds loads; those of an unknown release are left out.
    public mutating func add(_ group: LoadGroup) {
        guard let system = group.system else { return }
        if !isFixed, !all.contains(where: { $0.profile == system }) { begin(system) }
        for index in all.indices where isFixed || all[index].profile == system { all[index].add(group) }
    }

    private mutating func begin(_ system: OSProfile) {
        let judge = Judge(declaration: declaration, profile: system, switches: switches)
        all.append(RecordingReplay(LoadReplay(judge: judge, appTrust: appTrust)))
    }
}

/// A replay as text, and as JSON for scripts.
public struct ReplayWords: Sendable {
    private let replay: RecordingReplay
    private let recording: String?
    /// The dictionary as the command line names it; nil for the secure defaults.
    private let policy: String?

    /// - Parameters:
    ///   - recording: its name; nil for all recordings of a store.
    ///   - policy: path of the dictionary; nil for the secure defaults.
    public init(_ replay: RecordingReplay, recording: String?, policy: String?) {
        self.replay = replay
        self.recording = recording
        self.policy = policy
    }

    /// One JSON object on one line: `recording policy os newlyBlocked[] newlyAllowed[] undecidable[] same outside`.
    public var json: String {
        let kinds: [RecordingReplay.Change] = [.newlyBlocked, .newlyAllowed, .undecidable]
        let lists = kinds.map { kind in (kind.rawValue, JSONValue.array(replay.rows(kind).map(json))) }
        return JSONValue.object(
            [
                ("recording", .text(recording)), ("policy", .text(policy)),
                ("os", .string(replay.profile.name)),
            ] + lists + [("same", .number(replay.same)), ("outside", .number(replay.outside))]
        ).text
    }

    private func json(_ row: RecordingReplay.Row) -> JSONValue {
        let reason: [(key: String, value: JSONValue)] =
            row.key.change == .undecidable
            ? [("why", .text(row.key.why)), ("probe", .string(probe(row)))] : [("rule", .text(row.key.rule?.rawValue))]
        return .object(
            [("url", .string(row.url)), ("host", .string(row.host))] + reason + [("loads", .number(row.loads))])
    }

    /// Several lines, each with a line break: the counts, then the loads of each.
    public var text: String {
        let counts =
            RecordingReplay.Change.allCases.map { "\($0.words) \(replay.loads($0))" }
            + (replay.outside > 0 ? ["of these \(replay.outside) outside, where ATS does not apply"] : [])
        var text = "\(policy ?? "secure defaults") on \(replay.profile.title): \(counts.joined(separator: ", "))\n"
        for change in RecordingReplay.Change.allCases {
            let rows = replay.rows(change)
            guard !rows.isEmpty else { continue }
            text += "\n\(change.words.uppercased()) (\(replay.loads(change)))\n"
            for row in rows { text += lines(row) }
        }
        return text
    }

    private func lines(_ row: RecordingReplay.Row) -> String {
        let rule = row.key.rule.map { "  " + $0.rawValue } ?? ""
        var text = "  " + String(row.loads).rightAligned(to: Self.countColumns) + rule + "  " + row.url.printable + "\n"
        if let why = row.key.why {
            text += detail("why", why) + detail("try", probe(row))
        } else if row.key.change == .newlyBlocked {
            if let observed = row.law?.findings.first?.observed { text += detail("saw", observed) }
            if let fix = row.law?.remedy?.sentences.first { text += detail("fix", "server: " + fix) }
            if let fix = row.law?.remedy?.exception { text += detail("or", "in Info.plist: " + fix.sentence) }
        }
        return text
    }

    private func detail(_ label: String, _ value: String) -> String {
        String(repeating: " ", count: Self.countColumns + 4) + label.padded(to: 5) + value.printable + "\n"
    }

    /// The command line that tests the origin itself.
    private func probe(_ row: RecordingReplay.Row) -> String {
        let policy = policy.map { " --policy \($0.shellWord)" } ?? ""
        return "atsgate probe\(policy) --os \(replay.profile.name) \(row.key.target.origin.shellWord)"
    }

    private static let countColumns = 7
}
