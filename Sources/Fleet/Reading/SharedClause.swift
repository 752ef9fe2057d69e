import Postgres
import Reporting

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

    /// The conditions of a filter that the server can evaluate.
    ///
    /// - Parameter times: the times of the recordings' loads, in milliseconds since 1970-01-01 UTC. Only these days
    ///   need to be read.
    init(_ filter: RecordFilter, within times: ClosedRange<Int64>) {
        if !filter.recordings.isEmpty {
            // The server stores microseconds.
            add(
                "load.time >= ? AND load.time < ?",
                [.time(milliseconds: times.lowerBound), .time(milliseconds: times.upperBound + 1)])
        }
        for clause in FilterCondition.sharedClauses(of: filter, at: .load) {
            add(clause.sql, clause.values.map(\.postgres))
        }
        let forms = FilterCondition.sharedClauses(of: filter, at: .form)
        guard !forms.isEmpty else { return }
        let wanted = "SELECT form.id FROM form WHERE \(forms.map(\.sql).joined(separator: " AND "))"
        add(
            SharedFilterClause.condition("load.form", isFoundBy: wanted), forms.flatMap { $0.values.map(\.postgres) })
    }
}

extension SharedFilterClause.Value {
    var postgres: PostgresValue {
        switch self {
        case .text(let text): .text(text)
        case .texts(let texts): .texts(texts)
        case .time(let milliseconds): .time(milliseconds: milliseconds)
        }
    }
}
