import Text

/// A condition on the loads or the forms of a shared store, in PostgreSQL's SQL.
package struct SharedFilterClause: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case text(String), texts([String])
        case time(milliseconds: Int64)
    }

    /// The SQL, with `?` for each value.
    package let sql: String
    package let values: [Value]

    init(_ sql: String, _ values: [Value]) {
        self.sql = sql
        self.values = values
    }

    init(_ sql: String, _ value: Value) { self.init(sql, [value]) }

    /// nil for no names.
    init?(_ column: String, isOneOf names: [String]) {
        guard !names.isEmpty else { return nil }
        self.init("\(column) = ANY (?)", .texts(names))
    }

    /// nil for no patterns. ASCII case is ignored, as with SQLite's `lower` (sqlite.org/lang_corefunc.html#lower).
    init?(_ column: String, meets patterns: [Glob]) {
        guard !patterns.isEmpty else { return nil }
        self.init("lower(\(column) COLLATE \"C\") ~ ANY (?)", .texts(patterns.map(\.regularExpression)))
    }

    /// nil for no choices.
    init?(anyOf choices: [(sql: String, value: String)]) {
        guard !choices.isEmpty else { return nil }
        self.init("(" + choices.map(\.sql).joined(separator: " OR ") + ")", choices.map { .text($0.value) })
    }

    /// True if a column's value is among the results of `query`. The server runs the query once and looks up each row's
    /// value in the result. `IS TRUE` prevents the planner from choosing a join instead. The planner would rely on row
    /// counts that are wrong until a table has been analysed, and then read the loads once for each form. Source:
    /// PostgreSQL 15, seen with EXPLAIN; "hashed SubPlan" in section 14.1 of its manual.
    package static func condition(_ column: String, isFoundBy query: String) -> String {
        "(\(column) IN (\(query))) IS TRUE"
    }
}
