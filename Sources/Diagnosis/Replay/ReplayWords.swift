import ATSPolicy
import Text

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
