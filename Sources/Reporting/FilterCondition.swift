import ATSPolicy
import GRDB
public import Records
import Text

/// One condition of a ``RecordFilter`` in all its forms: as SQL for SQLite (a file) and for PostgreSQL (a shared
/// store), and as a test of a record in memory.
package struct FilterCondition: Sendable {
    typealias Clause = (sql: String, arguments: StatementArguments)

    /// The data that a condition is tested on.
    package enum DataSource: Sendable {
        /// A column of the table `load`, or of `form`.
        case load, form
        /// The record itself: rows are read one by one, see ``LoadFilter/search``.
        case record
    }

    let place: DataSource
    /// nil if the filter does not use the condition.
    let clause: @Sendable (RecordFilter) -> Clause?
    /// The clause for a shared store; nil likewise.
    let shared: @Sendable (RecordFilter) -> SharedFilterClause?
    /// True if a record meets the condition, or the filter does not use it.
    let holds: @Sendable (RecordFilter, LoadRecord) -> Bool

    /// All conditions. To add one, add an element here.
    static let all: [FilterCondition] = [
        // A record in memory has no row yet.
        FilterCondition(
            place: .load, clause: { compared("load.seq > ?", $0.after) },
            shared: {
                precondition($0.after == nil, "rows of a shared store have no numbers")
                return nil
            }, holds: { _, _ in true }),
        FilterCondition(
            place: .load, clause: { compared("load.time >= ?", $0.since) },
            shared: { $0.since.map { SharedFilterClause("load.time >= ?", .time(milliseconds: $0)) } },
            holds: { $1.time >= $0.since ?? .min }),
        FilterCondition(
            place: .load, clause: { compared("load.time < ?", $0.until) },
            shared: { $0.until.map { SharedFilterClause("load.time < ?", .time(milliseconds: $0)) } },
            holds: { filter, record in filter.until.map { record.time < $0 } ?? true }),
        FilterCondition(
            place: .load, clause: { any(of: $0.rules.map { ("lower(load.rule) GLOB ?", $0.sqlite) }) },
            shared: { SharedFilterClause("load.rule", meets: $0.rules) },
            holds: { filter, record in
                guard !filter.rules.isEmpty else { return true }
                guard let rule = record.diagnosis?.findings.first?.rule.rawValue else { return false }
                return filter.rules.contains { $0.matches(rule) }
            }),
        FilterCondition(
            place: .form, clause: { $0.recordings.isEmpty ? nil : named($0.recordings) },
            shared: { SharedFilterClause("form.recording", isOneOf: $0.recordings) },
            holds: { $0.recordings.isEmpty || $0.recordings.contains($1.recording) }),
        FilterCondition(
            place: .form, clause: { any(of: $0.verdicts.map { ("verdict = ?", $0.rawValue) }) },
            shared: { SharedFilterClause("form.verdict", isOneOf: $0.verdicts.map(\.rawValue)) },
            holds: { $0.verdicts.isEmpty || $0.verdicts.contains($1.verdict) }),
        FilterCondition(
            place: .form, clause: { any(of: $0.hosts.map { ("lower(host) GLOB ?", $0.sqlite) }) },
            shared: { SharedFilterClause("form.host", meets: $0.hosts) },
            holds: { filter, record in
                filter.hosts.isEmpty || filter.hosts.contains { $0.matches(record.load.target.host) }
            }),
        // Neither a file nor a record knows the gate of its loads, so the caller must check for that before.
        FilterCondition(
            place: .load, clause: { _ in nil },
            shared: {
                guard let machine = SharedFilterClause("gate.host", meets: $0.gates),
                    let label = SharedFilterClause("gate.label", meets: $0.gates)
                else { return nil }
                let gates = "SELECT gate.spool FROM gate WHERE \(machine.sql) OR \(label.sql)"
                return SharedFilterClause(
                    SharedFilterClause.condition("load.gate", isFoundBy: gates), machine.values + label.values)
            }, holds: { filter, _ in filter.gates.isEmpty }),
        // The text is JSON, and only the client has this key: inside a string its quotes would be escaped.
        FilterCondition(
            place: .form,
            clause: { any(of: $0.labels.map { ("instr(text, ?)", "\"label\":" + JSONValue.string($0).text) }) },
            shared: {
                SharedFilterClause(
                    anyOf: $0.labels.map { ("strpos(form.text, ?) > 0", "\"label\":" + JSONValue.string($0).text) })
            },
            holds: { $0.labels.isEmpty || $1.client.label.map($0.labels.contains) ?? false }),
        FilterCondition(
            place: .form, clause: { any(of: $0.entrances.map(\.clause)) },
            shared: { SharedFilterClause(anyOf: $0.entrances.map(\.shared)) },
            holds: { $0.entrances.isEmpty || $0.entrances.contains($1.client.wayIn) }),
        FilterCondition(
            place: .record, clause: { _ in nil }, shared: { _ in nil },
            holds: { $0.devices.isEmpty || $0.devices.contains($1.client.device) }),
        FilterCondition(
            place: .record, clause: { _ in nil }, shared: { _ in nil },
            holds: { $0.search.isEmpty || $0.search.matches(LoadView($1)) }),
    ]

    /// The clauses of a filter for one kind of data in a shared store.
    package static func sharedClauses(of filter: RecordFilter, at place: DataSource) -> [SharedFilterClause] {
        all.filter { $0.place == place }.compactMap { $0.shared(filter) }
    }

    /// The clause of a filter for one kind of data; nil if there is none.
    static func clause(of filter: RecordFilter, at place: DataSource) -> Clause? {
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

    /// One clause that holds if any of `choices` does; nil for no choices.
    private static func any(of choices: [(sql: String, value: String)]) -> Clause? {
        guard !choices.isEmpty else { return nil }
        return ("(\(choices.map(\.sql).joined(separator: " OR ")))", StatementArguments(choices.map(\.value)))
    }
}

extension LoadEntrance {
    /// The text by which a form shows it; see the label's.
    fileprivate var clause: (sql: String, value: String) {
        self == .proxy ? ("NOT instr(text, ?)", #""entrance":""#) : ("instr(text, ?)", #""entrance":"\#(rawValue)""#)
    }

    /// The clause for a shared store.
    fileprivate var shared: (sql: String, value: String) {
        self == .proxy
            ? ("strpos(form.text, ?) = 0", #""entrance":""#)
            : ("strpos(form.text, ?) > 0", #""entrance":"\#(rawValue)""#)
    }
}

extension RecordFilter {
    /// True if a record that is not in a store meets the filter.
    public func matches(_ record: LoadRecord) -> Bool {
        FilterCondition.all.allSatisfy { $0.holds(self, record) }
    }
}
