import ATSPolicy
import GRDB
public import Records
import Text

/// One condition of a ``RecordFilter``, in both ways of asking it: of rows in SQL, and of a record in memory.
struct FilterCondition: Sendable {
    typealias Clause = (sql: String, arguments: StatementArguments)

    /// What knows the answer.
    enum Place: Sendable {
        /// A column of the table `load`, or of `form`.
        case load, form
        /// The record itself: rows are looked at one by one, see ``LoadFilter/search``.
        case record
    }

    let place: Place
    /// nil where the filter does not ask for it.
    let clause: @Sendable (RecordFilter) -> Clause?
    /// Whether a record meets it, or is not asked.
    let holds: @Sendable (RecordFilter, LoadRecord) -> Bool

    /// The table. A new condition is a line here.
    static let all: [FilterCondition] = [
        // A record in memory has no row yet.
        FilterCondition(place: .load, clause: { compared("load.seq > ?", $0.after) }, holds: { _, _ in true }),
        FilterCondition(
            place: .load, clause: { compared("load.time >= ?", $0.since) }, holds: { $1.time >= $0.since ?? .min }),
        FilterCondition(
            place: .load, clause: { compared("load.time < ?", $0.until) },
            holds: { filter, record in filter.until.map { record.time < $0 } ?? true }),
        FilterCondition(
            place: .load, clause: { any(of: $0.rules.map { ("lower(load.rule) GLOB ?", $0.sqlite) }) },
            holds: { filter, record in
                guard !filter.rules.isEmpty else { return true }
                guard let rule = record.diagnosis?.findings.first?.rule.rawValue else { return false }
                return filter.rules.contains { $0.matches(rule) }
            }),
        FilterCondition(
            place: .form, clause: { $0.recordings.isEmpty ? nil : named($0.recordings) },
            holds: { $0.recordings.isEmpty || $0.recordings.contains($1.recording) }),
        FilterCondition(
            place: .form, clause: { any(of: $0.verdicts.map { ("verdict = ?", $0.rawValue) }) },
            holds: { $0.verdicts.isEmpty || $0.verdicts.contains($1.verdict) }),
        FilterCondition(
            place: .form, clause: { any(of: $0.hosts.map { ("lower(host) GLOB ?", $0.sqlite) }) },
            holds: { filter, record in
                filter.hosts.isEmpty || filter.hosts.contains { $0.matches(record.load.target.host) }
            }),
        // The text is JSON, where this key is the client's alone: inside of a string its quotes would be escaped.
        FilterCondition(
            place: .form,
            clause: { any(of: $0.labels.map { ("instr(text, ?)", "\"label\":" + JSONValue.string($0).text) }) },
            holds: { $0.labels.isEmpty || $1.client.label.map($0.labels.contains) ?? false }),
        FilterCondition(
            place: .form, clause: { any(of: $0.entrances.map(\.clause)) },
            holds: { $0.entrances.isEmpty || $0.entrances.contains($1.client.wayIn) }),
        FilterCondition(
            place: .record, clause: { _ in nil },
            holds: { $0.devices.isEmpty || $0.devices.contains($1.client.device) }),
        FilterCondition(
            place: .record, clause: { _ in nil },
            holds: { filter, record in
                filter.search.isEmpty || (try? filter.search.matches(DecodedRecord(StoredRecord(record)))) ?? false
            }),
    ]

    /// What a filter asks of a place; nil for nothing.
    static func clause(of filter: RecordFilter, at place: Place) -> Clause? {
        let clauses = all.filter { $0.place == place }.compactMap { $0.clause(filter) }
        guard !clauses.isEmpty else { return nil }
        return (
            clauses.map(\.sql).joined(separator: " AND "),
            clauses.reduce(into: StatementArguments()) { $0 += $1.arguments }
        )
    }

    private static func compared(_ sql: String, _ value: Int64?) -> Clause? { value.map { (sql, [$0]) } }

    private static func named(_ names: [String]) -> Clause {
        ("recording IN (\(names.map { _ in "?" }.joined(separator: ", ")))", StatementArguments(names))
    }

    /// One clause that holds where any of `choices` does; nil for no choices.
    private static func any(of choices: [(sql: String, value: String)]) -> Clause? {
        guard !choices.isEmpty else { return nil }
        return ("(\(choices.map(\.sql).joined(separator: " OR ")))", StatementArguments(choices.map(\.value)))
    }
}

extension LoadEntrance {
    /// What the text of a form has of it; see the label's.
    fileprivate var clause: (sql: String, value: String) {
        self == .proxy ? ("NOT instr(text, ?)", #""entrance":""#) : ("instr(text, ?)", #""entrance":"\#(rawValue)""#)
    }
}

extension RecordFilter {
    /// Whether a load is wanted that no store has.
    public func matches(_ record: LoadRecord) -> Bool {
        FilterCondition.all.allSatisfy { $0.holds(self, record) }
    }
}
