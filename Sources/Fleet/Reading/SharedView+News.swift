import Foundation
import Postgres
import Records
import Reporting

// New loads, for readers that follow a shared store.
extension SharedView {
    /// The position of each gate. The id of a gate's last load contains the time when its record was made, by the
    /// gate's clock.
    func mark() throws -> StoreMark {
        let rows = try connection.query("SELECT spool, shipped, last FROM gate")
        return .gates(
            try rows.reduce(into: [:]) { gates, row in
                let made = try row.orNil(2, row.uuid).map { Int64(truncatingIfNeeded: $0.bits >> 80) * 1000 }
                gates[try row.uuid(0).bits] = StoreMark.Filed(number: try row.int(1), time: made ?? 0)
            })
    }

    /// Reads the new loads of all gates, in the order in which they began.
    func forEachRow(
        of filter: RecordFilter, filedAfter mark: inout StoreMark, limit: Int, _ body: (ScannedRow) throws -> Void
    ) throws {
        var span = try span(behind: mark)
        guard !span.news.isEmpty, var clause = try clause(filter) else { return mark = .gates(span.to) }
        clause.add(loadsOf: span, since: span.since)
        if let place = span.behind { clause.add(behind: place) }
        var count = 0
        try forEachRow(
            "SELECT \(SharedRow.columns) FROM load WHERE \(clause.sql) ORDER BY load.time, load.id", clause.values,
            searching: filter
        ) { row in
            span.behind = row.place
            try body(row)
            count += 1
            return count < limit
        }
        // The rest follows with the next look, which skips the rows that were read.
        mark = count < limit ? .gates(span.to) : .within(span)
    }

    private func span(behind mark: StoreMark) throws -> StoreMark.Span {
        if case .within(let span) = mark { return span }
        guard case .gates(let now) = try self.mark() else { preconditionFailure("a mark of another kind of store") }
        guard case .gates(let known) = mark else { return StoreMark.Span(from: [:], to: now, since: nil) }
        // After a restore, a server receives loads again that were already seen here.
        let to = known.merging(now) { $0.number > $1.number ? $0 : $1 }
        var span = StoreMark.Span(from: known, to: to, since: nil)
        if !span.news.isEmpty { span.since = try begin(of: span) }
        return span
    }

    /// The time since which the loads of a span began. Mostly that is seconds before they were filed; but a load is
    /// filed when it ends, its gate may have been offline, and its clock may be wrong. The search stops when it has
    /// found as many loads as the gates' numbers imply. That number is too high if some were never shipped or were
    /// deleted. No row is counted twice.
    ///
    /// - Returns: microseconds since 1970-01-01 UTC; nil for any time.
    private func begin(of span: StoreMark.Span) throws -> Int64? {
        // Times that gates report may be wrong.
        let late = min(span.news.map(\.to.time).min() ?? 0, Int64(Date().timeIntervalSince1970 * 1_000_000))
        let early = min(span.news.compactMap { span.from[$0.gate]?.time }.min() ?? late, late)
        let wanted = span.news.reduce(0) { $0 + Double($1.to.number) - Double($1.behind) }
        var found: (loads: Double, first: Int64?, since: Int64?) = (0, nil, nil)
        for since in [late - reaches[0]] + reaches.map({ early - $0 }) {
            var clause = SharedClause()
            clause.add(loadsOf: span, since: since, until: found.since)
            let sql = "SELECT count(*), min(load.time) FROM load WHERE \(clause.sql)"
            guard let row = try connection.query(sql, clause.values).first else { break }
            found = (found.loads + Double(try row.int(0)), try row.orNil(1, row.microseconds) ?? found.first, since)
            if found.loads >= wanted { return found.first }
        }
        // A gate that is new here may ship loads of any age.
        return span.news.contains { span.from[$0.gate] == nil } ? nil : found.first ?? late
    }
}

extension StoreMark.Span {
    /// The gates with new loads in this span.
    var news: [(gate: UInt128, behind: Int64, to: StoreMark.Filed)] {
        to.compactMap { gate, last in
            let behind = from[gate]?.number ?? 0
            return behind < last.number ? (gate, behind, last) : nil
        }
    }
}

extension SharedClause {
    /// Adds the conditions for loads of a span that began between two times, the later one excluded; nil for any time.
    mutating func add(loadsOf span: StoreMark.Span, since: Int64?, until: Int64? = nil) {
        if let since { add("load.time >= ?", [.time(milliseconds: since.floored(by: 1000))]) }
        if let until { add("load.time < ?", [.time(milliseconds: until.floored(by: 1000))]) }
        add(filed: span.news.map { ($0.gate, $0.behind, $0.to.number) })
    }

    /// Adds the condition for loads that gates filed between two numbers, the first one excluded.
    mutating func add(filed gates: [(gate: UInt128, behind: Int64, last: Int64)]) {
        add(
            """
            EXISTS (SELECT FROM unnest(?::uuid[], ?::bigint[], ?::bigint[]) AS filed (gate, behind, last)
                WHERE filed.gate = load.gate AND load.seq > filed.behind AND load.seq <= filed.last)
            """,
            [
                .uuids(gates.map { PostgresUUID($0.gate) }), .int8s(gates.map(\.behind)), .int8s(gates.map(\.last)),
            ])
    }

    /// Adds the conditions for loads after a place, in the order in which they began or the reverse.
    mutating func add(behind place: StorePosition, isDescending: Bool = false) {
        let time = name(.int8(place.number))
        let id = name(.uuid(PostgresUUID(place.id)))
        let sign = isDescending ? "<" : ">"
        // The first condition allows the server to skip days, the second one is exact.
        add("load.time \(sign)= \(serverTime(time))")
        add("(load.time, load.id) \(sign) (\(serverTime(time)), \(id))")
    }
}

/// The distances in microseconds for which loads are searched before they were filed: ten seconds, ten minutes, two
/// hours, two days.
private let reaches: [Int64] = [10_000_000, 600_000_000, 7_200_000_000, 172_800_000_000]
