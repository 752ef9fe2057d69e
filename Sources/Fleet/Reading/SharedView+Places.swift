import Postgres
import Records
import Reporting

extension SharedView {
    /// Finds a load by its id, which contains the time when the record was made: mostly shortly after the load began.
    /// All days are searched only if it is not found near that time.
    func place(ofLoad id: String) throws -> StorePosition? {
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
            if let row { return StorePosition(number: try row.microseconds(0), id: bits) }
        }
        let row = try connection.query("SELECT time FROM load WHERE id = $1 LIMIT 1", [name]).first
        return try row.map { StorePosition(number: try $0.microseconds(0), id: bits) }
    }

    func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]] {
        guard filter.search.isEmpty, filter.devices.isEmpty else {
            throw StoreError.otherKind(path: "the store", cause: "search words and devices cannot be counted by gate")
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
}

private let minute: Int64 = 60_000_000
