public import Postgres
public import Reporting

extension FleetOverview {
    /// Connects and reads the overview. A login with `atsgate_viewer` or `atsgate_reader` sees all gates. A gate's
    /// login sees only the gates that ship with it, and the note mentions that.
    ///
    /// - Parameters:
    ///   - hours: the number of hours for which blocked loads are counted.
    ///   - timeout: the timeout for each answer of the server.
    ///   - identity: the identity of this gate's own spool, 32 hexadecimal digits; nil if there is none.
    /// - Throws: `StoreError`.
    public static func look(
        _ address: PostgresAddress, hours: Int, timeout: Duration, askedBy identity: String? = nil
    ) throws(StoreError) -> FleetOverview {
        do {
            let connection = try SharedSource.open(address, timeout: timeout)
            var overview = try asked(of: connection, hours: hours, timeout: timeout)
            overview.ownSpool = identity.flatMap { GateRow(identity: $0) }?.spool.description
            return overview
        } catch {
            throw SharedSource.explained(error, address.shown)
        }
    }

    private static func asked(
        of connection: PostgresConnection, hours: Int, timeout: Duration
    ) throws -> FleetOverview {
        let right = try connection.query("SELECT has_table_privilege('atsgate.gates', 'SELECT')").first
        let seesAll = try right?.bool(0) == true
        let (gates, count) = try FleetGate.all(
            on: connection, from: seesAll ? "atsgate.gates" : ownGatesSQL, limit: mostGates)
        var overview = FleetOverview(gates: gates, gateCount: count)
        guard seesAll else {
            overview.note = """
                This login sees only the gates that ship with it, and no blocked hosts. An administrator can grant it \
                atsgate_viewer, or atsgate_reader, which also shows the recordings of all gates.
                """
            return overview
        }
        guard let blocked = try BlockedHost.most(on: connection, hours: hours) else {
            overview.note =
                "The counts of blocked loads are missing: the server took longer than \(timeout.components.seconds) s."
            return overview
        }
        overview.blocked = blocked
        return overview
    }
}

extension FleetGate {
    /// The gates that were seen last, the latest first, and their total number. The latest gate of each login comes
    /// before the second of any, and times in the future count as now, so that a login with many rows hides no others.
    ///
    /// - Parameters:
    ///   - source: a relation with the columns of the view `gates`.
    ///   - limit: the maximum number of gates; nil for all.
    static func all(
        on connection: PostgresConnection, from source: String = "atsgate.gates", limit: Int64? = nil
    ) throws(PostgresError) -> (gates: [FleetGate], count: Int) {
        // Gates write their own rows: long texts are cut and infinite times ignored.
        let rows = try connection.query(
            """
            SELECT gate::text, left(machine, 200), left(version, 40), owner::text, left(label, 200), left(policy, 200),
                CASE WHEN isfinite(started) THEN started END, CASE WHEN isfinite(seen) THEN least(seen, now()) END,
                CASE WHEN isfinite(seen) THEN greatest(0, extract(epoch FROM now() - seen))::int8 ELSE 0 END,
                shipped, coalesce(waiting, 0), loads, blocked, count(*) OVER ()
            FROM (SELECT *, CASE WHEN seen < now() THEN seen WHEN seen >= now() THEN now() END AS word FROM \(source)) AS one
            ORDER BY row_number() OVER (PARTITION BY owner ORDER BY word DESC NULLS LAST, gate), word DESC NULLS LAST, gate
            LIMIT $1
            """, [limit.map { .int8($0) } ?? .null])
        var gates: [FleetGate] = []
        var count: Int64 = 0
        for row in rows {
            gates.append(try gate(row))
            count = try row.int(13)
        }
        return (gates, Int(count))
    }

    private static func gate(_ row: PostgresRow) throws(PostgresError) -> FleetGate {
        var gate = FleetGate(
            spool: try row.text(0), machine: try row.text(1), version: try row.text(2), owner: try row.text(3))
        gate.label = try row.orNil(4, row.text)
        gate.policy = try row.orNil(5, row.text)
        gate.started = try row.orNil(6, row.milliseconds)
        gate.seen = try row.orNil(7, row.milliseconds)
        gate.silentSeconds = try row.int(8)
        gate.shipped = try row.int(9)
        gate.waiting = try row.int(10)
        gate.loads = try row.int(11)
        gate.blocked = try row.int(12)
        return gate
    }
}

extension BlockedHost {
    /// The hosts with the most blocked loads first; nil if the query timed out.
    fileprivate static func most(on connection: PostgresConnection, hours: Int) throws -> [BlockedHost]? {
        do {
            return try connection.query(blockedSQL, [.int8(Int64(hours))]).map(host)
        } catch {
            // query_canceled (PostgreSQL 15, appendix A).
            if case PostgresError.refused(let state, _) = error, state == "57014" { return nil }
            throw error
        }
    }

    private static func host(_ row: PostgresRow) throws(PostgresError) -> BlockedHost {
        let rule = try row.orNil(1, row.text)
        let spools = try row.text(5).split(separator: " ").map(String.init)
        return BlockedHost(
            host: try row.text(0), rule: rule, loads: try row.int(2), last: try row.milliseconds(3),
            gateCount: try row.int(4), spools: spools)
    }
}

private let mostGates: Int64 = 500

/// The columns of the view `gates`, for the rows that a gate's login sees.
private let ownGatesSQL = """
    (
        SELECT spool AS gate, host AS machine, label, version, owner, policy, started, seen, shipped, waiting,
            coalesce(t.loads, 0) AS loads, coalesce(t.blocked, 0) AS blocked
        FROM atsgate.gate LEFT JOIN (
            SELECT gate, sum(loads)::bigint AS loads,
                coalesce(sum(loads) FILTER (WHERE verdict IN ('blocked', 'wouldBlock')), 0)::bigint AS blocked
            FROM atsgate.tally GROUP BY gate
        ) t ON t.gate = spool
    ) AS own
    """

private let blockedSQL = """
    SELECT left(host, 255), left(rule, 100), sum(loads)::bigint, max(last), count(*),
        array_to_string((array_agg(gate ORDER BY loads DESC, gate))[1:20], ' ')
    FROM (
        SELECT host, rule, gate, count(*) AS loads, max(time) AS last FROM atsgate.loads
        WHERE time >= now() - $1 * interval '1 hour' AND verdict IN ('blocked', 'wouldBlock')
        GROUP BY host, rule, gate
    ) one
    GROUP BY host, rule ORDER BY 3 DESC, 1, 2 LIMIT 100
    """
