import Foundation
import Postgres
import Records
import Reporting

// Single loads: a page, new ones for readers that follow a store, and one by its id.
extension SharedPull {
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

    /// Reads the new loads of all gates, in the order in which they began, and advances the mark.
    func news(of filter: RecordFilter, after mark: inout StoreMark, limit: Int) throws -> [LoadRecord] {
        var span = try span(after: mark)
        guard !span.news.isEmpty, var clause = try clause(filter) else {
            mark = .gates(span.to)
            return []
        }
        clause.add(loadsOf: span, since: span.since)
        if let place = span.after { clause.add(after: place) }
        let found = try loads(clause, order: "ASC", of: filter, limit: limit)
        span.after = found.last?.place ?? span.after
        // The rest follows with the next look, which skips the rows that were read.
        mark = found.count < limit ? .gates(span.to) : .within(span)
        return found.map(\.record)
    }

    /// The newest loads, for a page.
    func page(of filter: RecordFilter, before place: StorePosition?, limit: Int) throws -> StorePage {
        guard limit > 0, var clause = try clause(filter) else { return StorePage(records: [], next: nil) }
        if let place { clause.add(after: place, isDescending: true) }
        let found = try loads(clause, order: "DESC", of: filter, limit: limit)
        return StorePage(records: found.map(\.record), next: found.count < limit ? nil : found.last?.place)
    }

    /// Reads loads until `limit` match the words and devices of the filter.
    private func loads(
        _ clause: SharedClause, order: String, of filter: RecordFilter, limit: Int
    ) throws -> [(record: LoadRecord, place: StorePosition)] {
        let isSearch = LoadMatcher(filter) != nil
        var found: [(record: LoadRecord, place: StorePosition)] = []
        // Without words, the server stops after as many loads as are wanted.
        let end = isSearch ? "" : " LIMIT \(limit)"
        try forEachFetched(
            "SELECT \(Self.columns) FROM load WHERE \(clause.sql) ORDER BY load.time \(order), load.id \(order)\(end)",
            clause.values, pieces: min(limit, 1024)...2048
        ) { piece in
            // Rows have other numbers in each temporary store, so the matcher is new, too.
            let matcher = LoadMatcher(filter)
            try store(of: piece).forEachLoad { row in
                guard try matcher?.matches(row) ?? true else { return true }
                found.append((try row.record(), row.sharedPlace))
                return found.count < limit
            }
            return found.count < limit
        }
        return found
    }

    /// Finds a load by its id, which contains the time when the record was made: mostly shortly after the load began.
    /// All days are searched only if it is not found near that time.
    func record(id: String) throws -> LoadRecord? {
        guard let id = LoadID(id.utf8) else { return nil }
        let name = PostgresValue.uuid(PostgresUUID(id))
        let made = Int64(truncatingIfNeeded: PostgresUUID(id).bits >> 80) * 1000
        for span in [minute * 10, minute * 60 * 24, nil] {
            let near = span.map { _ in "time BETWEEN \(serverTime("$2")) AND \(serverTime("$3")) AND " } ?? ""
            let rows = try connection.query(
                "SELECT \(Self.columns) FROM load WHERE \(near)id = $1 LIMIT 1",
                [name] + (span.map { [.int8(made - $0), .int8(made + $0)] } ?? []))
            guard !rows.isEmpty else { continue }
            var found: LoadRecord?
            try store(of: rows).forEachLoad { row in
                found = try row.record()
                return false
            }
            return found
        }
        return nil
    }

    func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]] {
        guard filter.search.isEmpty, filter.devices.isEmpty else {
            throw StoreError.otherKind(path: "the store", cause: "search words and devices cannot be counted by gate")
        }
        guard let clause = try clause(filter) else { return [:] }
        let rows = try connection.query(
            """
            SELECT coalesce(gate.host || coalesce(' (' || gate.label || ')', ''), counted.gate::text), shared.verdict,
                sum(counted.loads)::bigint
            FROM (
                SELECT load.gate, load.shared, count(*) AS loads FROM load WHERE \(clause.sql)
                GROUP BY load.gate, load.shared
            ) counted
            JOIN shared ON shared.id = counted.shared LEFT JOIN gate ON gate.spool = counted.gate GROUP BY 1, 2
            """, clause.values)
        var gates: [String: [Verdict: Int]] = [:]
        for row in rows {
            guard let verdict = Verdict(rawValue: try row.text(1)) else { continue }
            gates[try row.text(0), default: [:]][verdict, default: 0] += Int(try row.int(2))
        }
        return gates
    }

    func sizes(of filter: RecordFilter) throws -> [String: Int64] {
        guard let clause = try clause(filter) else { return [:] }
        let rows = try connection.query(
            """
            SELECT shared.recording, sum(counted.bytes)::bigint FROM (
                SELECT load.shared, sum(\(loadFixedBytes) + octet_length(load.path) + octet_length(load.client)
                    + octet_length(load.method) + coalesce(octet_length(load.more), 0)) AS bytes
                FROM load WHERE \(clause.sql) GROUP BY load.shared
            ) counted JOIN shared ON shared.id = counted.shared GROUP BY 1
            """, clause.values)
        return try rows.reduce(into: [:]) { $0[try $1.text(0)] = try $1.int(1) }
    }

    private func span(after mark: StoreMark) throws -> StoreMark.Span {
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
        let wanted = span.news.reduce(0) { $0 + Double($1.to.number) - Double($1.after) }
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
    var news: [(gate: UInt128, after: Int64, to: StoreMark.Filed)] {
        to.compactMap { gate, last in
            let after = from[gate]?.number ?? 0
            return after < last.number ? (gate, after, last) : nil
        }
    }
}

extension SharedClause {
    /// Adds the conditions for loads of a span that began between two times, the later one excluded; nil for any time.
    mutating func add(loadsOf span: StoreMark.Span, since: Int64?, until: Int64? = nil) {
        if let since { add("load.time >= ?", [.time(milliseconds: since.floored(by: 1000))]) }
        if let until { add("load.time < ?", [.time(milliseconds: until.floored(by: 1000))]) }
        add(filed: span.news.map { ($0.gate, $0.after, $0.to.number) })
    }

    /// Adds the condition for loads that gates filed between two numbers, the first one excluded.
    mutating func add(filed gates: [(gate: UInt128, after: Int64, last: Int64)]) {
        add(
            """
            EXISTS (SELECT FROM unnest(?::uuid[], ?::bigint[], ?::bigint[]) AS filed (gate, after, last)
                WHERE filed.gate = load.gate AND load.seq > filed.after AND load.seq <= filed.last)
            """,
            [
                .uuids(gates.map { PostgresUUID($0.gate) }), .int8s(gates.map(\.after)), .int8s(gates.map(\.last)),
            ])
    }

    /// Adds the conditions for loads after a place, in the order in which they began or the reverse.
    mutating func add(after place: StorePosition, isDescending: Bool = false) {
        let time = name(.int8(place.number))
        let id = name(.uuid(PostgresUUID(place.id)))
        let sign = isDescending ? "<" : ">"
        // The first condition allows the server to skip days, the second one is exact.
        add("load.time \(sign)= \(serverTime(time))")
        add("(load.time, load.id) \(sign) (\(serverTime(time)), \(id))")
    }
}

extension LoadRow {
    /// Its place in a shared store.
    fileprivate var sharedPlace: StorePosition {
        StorePosition(number: time * 1000, id: LoadID(id.utf8).map { PostgresUUID($0).bits } ?? 0)
    }
}

private let minute: Int64 = 60_000_000
/// The distances in microseconds for which loads are searched before they were filed: ten seconds, ten minutes, two
/// hours, two days.
private let reaches: [Int64] = [10_000_000, 600_000_000, 7_200_000_000, 172_800_000_000]
