import Postgres
import Reporting
import Text

/// Conditions of a statement with numbered values.
struct SharedClause {
    private(set) var conditions: [String] = []
    private(set) var values: [PostgresValue] = []

    /// The expression for WHERE.
    var sql: String { conditions.isEmpty ? "true" : conditions.joined(separator: " AND ") }

    /// - Parameter condition: has a `?` for each value.
    mutating func add(_ condition: String, _ values: [PostgresValue] = []) {
        conditions.append(numbered(condition))
        self.values += values
    }

    /// Adds a value for use in a condition or a column.
    ///
    /// - Returns: `$3`.
    mutating func name(_ value: PostgresValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    private func numbered(_ condition: String) -> String {
        var number = values.count
        return condition.split(separator: "?", omittingEmptySubsequences: false).reduce(into: "") { text, part in
            if number > values.count { text += "$\(number)" }
            text += part
            number += 1
        }
    }

    init() {}

    /// The conditions of a filter.
    ///
    /// - Parameter times: the times of the recordings' loads, in milliseconds since 1970-01-01 UTC. Only these days
    ///   need to be read.
    init(_ filter: RecordFilter, within times: ClosedRange<Int64>) {
        if !filter.recordings.isEmpty {
            // The server stores microseconds.
            add(
                "time >= ? AND time < ?",
                [.time(milliseconds: times.lowerBound), .time(milliseconds: times.upperBound + 1)])
        }
        let conditions = LoadConditions(filter, .postgres)
        if !conditions.values.isEmpty { add(conditions.sql, conditions.values.map(\.postgres)) }
        guard !filter.gates.isEmpty else { return }
        // Patterns of machines or labels.
        let patterns = filter.gates.map { PostgresValue.text($0.regularExpression) }
        let tests = ["host", "label"].flatMap { column in
            filter.gates.map { _ in "lower(\(column) COLLATE \"C\") ~ ?" }
        }
        add(
            "(gate IN (SELECT spool FROM gate WHERE \(tests.joined(separator: " OR ")))) IS TRUE", patterns + patterns)
    }
}

extension LoadConditions.Value {
    fileprivate var postgres: PostgresValue {
        switch self {
        case .text(let text): .text(text)
        case .number(let number): .int8(number)
        case .time(let milliseconds): .time(milliseconds: milliseconds)
        }
    }
}

/// An SQL expression that converts microseconds since 1970-01-01 UTC to a time of the server.
func serverTime(_ microseconds: String) -> String {
    "timestamptz '1970-01-01 00:00:00+00' + \(microseconds) * interval '1 microsecond'"
}
