import Postgres
import Records
import Reporting

extension SharedView {
    /// An id says when it was made, and a load began before that; mostly not long before. Only where it is nowhere near,
    /// every day is looked through.
    func place(ofLoad id: String) throws -> StorePlace? {
        guard let bits = LoadID(id.utf8).map({ PostgresUUID(high: $0.high, low: $0.low).bits }) else { return nil }
        let made = Int64(truncatingIfNeeded: bits >> 80) * 1000
        let name = PostgresValue.uuid(PostgresUUID(bits))
        for span in [minute * 10, minute * 60 * 24] {
            let row = try connection.query(
                """
                SELECT time, id FROM load WHERE time BETWEEN \(serverTime("$2")) AND \(serverTime("$3")) AND id = $1
                LIMIT 1
                """, [name, .int8(made - span), .int8(made + span)]
            ).first
            if let row { return StorePlace(number: try row.microseconds(0), id: bits) }
        }
        let row = try connection.query("SELECT time FROM load WHERE id = $1 LIMIT 1", [name]).first
        return try row.map { StorePlace(number: try $0.microseconds(0), id: bits) }
    }

    func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]] {
        guard filter.search.isEmpty, filter.devices.isEmpty else {
            throw StoreError.otherKind(path: "the store", cause: "words and devices are not looked for gate by gate")
        }
        guard let clause = try clause(filter) else { return [:] }
        let rows = try connection.query(
            """
            SELECT coalesce(gate.host || coalesce(' (' || gate.label || ')', ''), counted.gate::text), form.verdict,
                sum(counted.loads)::bigint
            FROM (
                SELECT load.gate, load.form, count(*) AS loads FROM load WHERE \(clause.sql) GROUP BY load.gate, load.form
            ) counted
            JOIN form ON form.id = counted.form LEFT JOIN gate ON gate.spool = counted.gate GROUP BY 1, 2
            """, clause.values)
        var gates: [String: [Verdict: Int]] = [:]
        for row in rows {
            guard let verdict = Verdict(rawValue: try row.text(1)) else { continue }
            gates[try row.text(0), default: [:]][verdict, default: 0] += Int(try row.int(2))
        }
        return gates
    }

    func mark() throws -> StoreMark {
        let gates = try filed()
        let times = try lastTimes(of: Array(gates.keys))
        return .gates(
            gates.reduce(into: [:]) { known, gate in
                known[gate.key] = StoreMark.Filed(number: gate.value, time: times[gate.key] ?? 0)
            })
    }

    /// The number of the last load that each gate has filed.
    private func filed() throws -> [UInt128: Int64] {
        try connection.query("SELECT spool, shipped FROM gate").reduce(into: [:]) { gates, row in
            gates[try row.uuid(0).bits] = try row.int(1)
        }
    }

    /// When the last load began that each gate has filed, in microseconds since 1970-01-01 UTC.
    private func lastTimes(of gates: [UInt128]) throws -> [UInt128: Int64] {
        let rows = try connection.query(
            "SELECT gate, max(last_time) FROM tally WHERE gate = ANY ($1) AND loads > 0 GROUP BY gate",
            [.uuids(gates.map { PostgresUUID($0) })])
        return try rows.reduce(into: [:]) { $0[try $1.uuid(0).bits] = try $1.microseconds(1) }
    }

    /// Gates file their loads in the order of their numbers, about in the order in which they began: what a gate has filed
    /// since began no more than an hour before the last of its loads that was seen, but for loads that last longer.
    func forEachRow(
        of filter: RecordFilter, filedAfter mark: inout StoreMark, limit: Int, _ body: (ScannedRow) throws -> Void
    ) throws {
        let now = try filed()
        var known: [UInt128: StoreMark.Filed] = [:]
        if case .gates(let gates) = mark { known = gates }
        let changed = now.filter { known[$0.key]?.number ?? 0 < $0.value }.sorted { $0.key < $1.key }
        defer { mark = .gates(known) }
        guard !changed.isEmpty, var clause = try clause(filter) else { return }
        // A gate that was not there before may bring home whatever it has.
        if let first = changed.map({ known[$0.key]?.time ?? 0 }).min(), first > 0 {
            clause.add("load.time >= \(serverTime(clause.name(.int8(first - minute * 60))))")
        }
        let names = clause.name(.uuids(changed.map { PostgresUUID($0.key) }))
        let begins = clause.name(.int8s(changed.map { known[$0.key]?.number ?? 0 }))
        let ends = clause.name(.int8s(changed.map(\.value)))
        let rows = try connection.query(
            """
            SELECT \(SharedRow.columns), load.gate, load.seq
            FROM load JOIN unnest(\(names)::uuid[], \(begins)::bigint[], \(ends)::bigint[]) AS filed (gate, begin, last)
            ON filed.gate = load.gate AND load.seq > filed.begin AND load.seq <= filed.last
            WHERE \(clause.sql) ORDER BY load.gate, load.seq LIMIT \(max(limit, 1))
            """, clause.values)
        try tell(rows, filter, body)
        try advance(&known, over: rows, to: changed, isWhole: rows.count < max(limit, 1))
    }

    /// In the order in which they began, whichever gate they are of.
    private func tell(_ rows: PostgresRows, _ filter: RecordFilter, _ body: (ScannedRow) throws -> Void) throws {
        let search = RowSearch(filter.search, devices: filter.devices)
        let loads = try rows.map { try SharedRow($0) }
        try fetch(loads.map(\.form))
        let order = loads.indices.sorted { (loads[$0].time, loads[$0].id) < (loads[$1].time, loads[$1].id) }
        for index in order {
            try noting(loads[index].place) {
                let row = try loads[index].scanned(rows[index], parts)
                if try search?.matches(row, in: self) ?? true { try body(row) }
            }
        }
    }

    private func advance(
        _ known: inout [UInt128: StoreMark.Filed], over rows: PostgresRows,
        to ends: [(key: UInt128, value: Int64)], isWhole: Bool
    ) throws {
        let times = try lastTimes(of: ends.map(\.key))
        var last: (gate: UInt128, number: Int64)?
        for row in rows {
            let gate = try row.uuid(5).bits
            last = (gate, try row.int(6))
            let time = max(known[gate]?.time ?? 0, try row.microseconds(0))
            known[gate] = StoreMark.Filed(number: try row.int(6), time: time)
        }
        // What the filter leaves out is looked at, too.
        for end in ends where isWhole || last.map({ end.key < $0.gate }) ?? true {
            known[end.key] = StoreMark.Filed(number: end.value, time: times[end.key] ?? 0)
        }
    }
}

private let minute: Int64 = 60_000_000
