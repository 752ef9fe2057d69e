import ATSPolicy
import Records
import Text

/// Loads of one device that ended the same way for the same reason at the same origin: a row of the page.
struct LiveGroup: Sendable {
    struct Key: Hashable, Sendable {
        let recording: String
        let verdict: Verdict
        let target: LoadTarget
        let rule: RuleID?
        let device: String
        let os: String

        init(_ record: LoadRecord) {
            recording = record.recording
            verdict = record.verdict
            target = record.load.target
            rule = record.diagnosis?.findings.first?.rule
            device = record.client.device
            os = record.client.os
        }

        /// Whether that is its key, without making another.
        func holds(_ record: LoadRecord) -> Bool {
            verdict == record.verdict && target == record.load.target
                && rule == record.diagnosis?.findings.first?.rule && os == record.client.os
                && recording == record.recording && device == record.client.device
        }
    }

    let number: Int
    let key: Key
    var loads = 0
    /// The latest of them.
    var last: LoadRecord
    /// Number of the change that touched it last.
    var change = 0

    var json: JSONValue {
        let row = LoadRow(last)
        return .object([
            ("group", .number(number)), ("recording", .string(key.recording)),
            ("verdict", .string(key.verdict.rawValue)), ("origin", .string(key.target.origin)),
            ("host", .string(key.target.host)), ("rule", .text(key.rule?.rawValue)), ("title", .text(row.title)),
            ("observed", .text(row.observed)), ("apple", .text(row.apple)), ("device", .string(key.device)),
            ("os", .string(key.os)), ("loads", .number(loads)), ("last", .string(last.id)),
            ("time", .number(Int(last.time))),
        ])
    }
}

extension ClientCard {
    /// How it is called: by its label, else its address.
    var device: String { label ?? host }
}
