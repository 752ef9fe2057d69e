public import Postgres
public import Reporting

/// The state of a shared store for its operator: schema, content and problems.
public struct FleetCheck: Sendable {
    /// The version that the server reports: `15.18 (Debian 15.18-0+deb12u1)`.
    public let server: String
    public let login: String
    /// The roles that the login has, directly or through another role; a superuser has all.
    public let roles: [FleetRole]
    public let isSuperuser: Bool
    public let state: SchemaState
    /// nil if the login may not see them, or if there is no schema.
    public private(set) var days: FleetDays?
    public private(set) var gates: [FleetGate] = []
    /// The problems, as sentences that say what to do.
    public private(set) var complaints: [String] = []
    /// Settings that may be intended but that the operator should know.
    public private(set) var remarks: [String] = []

    /// - Parameter counts: whether to compare each gate's tallies with its loads, which reads all of them.
    public init(of connection: PostgresConnection, counts: Bool) throws {
        let about = try connection.query(
            """
            SELECT current_setting('server_version'), session_user::text, rolsuper,
                current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on',
                current_setting('synchronous_commit'), current_setting('server_encoding'),
                current_setting('transaction_read_only') = 'on' AND NOT pg_catalog.pg_is_in_recovery()
            FROM pg_catalog.pg_roles WHERE rolname = session_user
            """)
        guard let row = about.first else { throw SchemaError("the server does not know its own login") }
        server = try row.text(0)
        login = try row.text(1)
        isSuperuser = try row.bool(2)
        if try !row.bool(3) {
            complaints.append(
                "fsync or full_page_writes is off: a crash of the server may lose loads that were shipped")
        }
        if try row.text(4) == "off" {
            complaints.append("synchronous_commit is off: a crash of the server may lose loads that were shipped")
        }
        if try row.text(5) != "UTF8" {
            complaints.append("the database's encoding is \(try row.text(5)): create one with ENCODING 'UTF8'")
        }
        // A replica is read-only by design and not reported.
        if try row.bool(6) {
            complaints.append("the database is read-only (default_transaction_read_only): gates cannot ship loads")
        }
        let missing = try FleetRole.missing(on: connection)
        roles = try Self.roles(on: connection, but: missing)
        state = try SchemaState(of: connection)
        if !missing.isEmpty {
            let names = missing.map(\.rawValue).joined(separator: ", ")
            complaints.append("the server has no role \(names): run atsgate store init")
        }
        if let complaint = state.complaint { complaints.append(complaint) }
        guard state == .current else { return }
        try look(connection, counts: counts)
    }

    private mutating func look(_ connection: PostgresConnection, counts: Bool) throws {
        let rights = try connection.query(
            "SELECT has_table_privilege('atsgate.days', 'SELECT'), has_table_privilege('atsgate.load', 'SELECT')"
        ).first
        guard try rights?.bool(0) == true else {
            remarks.append("\(login) may not read the store; log in as a reader or a maintainer for days and gates")
            return
        }
        let days = try FleetDays(of: connection)
        self.days = days
        gates = try FleetGate.all(on: connection).gates
        if !days.detached.isEmpty {
            complaints.append(
                "an interrupted prune has left \(days.detached.joined(separator: ", ")): the next prune completes it")
        }
        if !days.missing.isEmpty {
            complaints.append(
                """
                the store has no day for loads of \(days.missing.joined(separator: " and ")): gates that cannot make one \
                keep the loads in their spools; run atsgate store init
                """)
        }
        complaints += try DayLock.complaints(on: connection)
        let late = gates.filter { $0.waiting > 0 && $0.silentSeconds > 3_600 }
        complaints += late.map { gate in
            """
            \(gate.name) has not reported for \(gate.silentSeconds / 3_600) h and had \(gate.waiting) loads left \
            to ship: upload its spool with atsgate recordings import
            """
        }
        if isSuperuser {
            remarks.append("\(login) is a superuser; gates and people need less: atsgate store init --roles")
        }
        guard counts else { return }
        guard try rights?.bool(1) == true else {
            throw SchemaError("\(login) may not read loads, so they cannot be counted: use a reader or a maintainer")
        }
        complaints += try FleetCount.differences(on: connection)
    }

    private static func roles(
        on connection: PostgresConnection, but missing: [FleetRole]
    ) throws(PostgresError) -> [FleetRole] {
        var granted: [FleetRole] = []
        for role in FleetRole.allCases where !missing.contains(role) {
            let answer = try connection.query(
                "SELECT pg_catalog.pg_has_role(session_user, $1::text::name, 'USAGE')", [.text(role.rawValue)])
            if try answer.first?.bool(0) == true { granted.append(role) }
        }
        return granted
    }
}

/// The days of a shared store. The next seven are made in advance; only ``bytes`` includes them.
public struct FleetDays: Sendable, Hashable {
    public let count: Int64
    /// Like `2026-11-05`; nil if there are no days.
    public let first: String?
    public let last: String?
    /// The size of all days with their indexes, without what loads share and tallies.
    public let bytes: Int64
    /// The size of what loads share, with its indexes.
    public let sharedBytes: Int64
    /// The days that an interrupted prune left.
    public let detached: [String]
    /// Today and tomorrow, if gates cannot file loads for them.
    let missing: [String]

    init(of connection: PostgresConnection) throws(PostgresError) {
        let rows = try connection.query(
            """
            WITH now AS (SELECT (now() AT TIME ZONE 'UTC')::date AS today)
            SELECT count(*) FILTER (WHERE counts), (min(day) FILTER (WHERE counts))::text,
                (max(day) FILTER (WHERE counts))::text, coalesce(sum(bytes), 0)::int8,
                pg_total_relation_size('atsgate.shared') + pg_total_relation_size('atsgate.diagnosis')
                    + pg_total_relation_size('atsgate.handshake'),
                coalesce(string_agg(day::text, ' ' ORDER BY day) FILTER (WHERE NOT attached OR detaching), ''),
                (SELECT coalesce(string_agg((today + n)::text, ' ' ORDER BY n), '') FROM now, generate_series(0, 1) n
                WHERE NOT EXISTS (SELECT FROM atsgate.days d WHERE d.day = today + n AND d.attached AND NOT d.detaching))
            FROM (
                SELECT *, attached AND day NOT BETWEEN today + 1 AND today + 7 AS counts FROM atsgate.days, now
            ) AS days
            """)
        guard let row = rows.first else { throw .broken("the server sent no answer") }
        count = try row.int(0)
        first = try row.orNil(1, row.text)
        last = try row.orNil(2, row.text)
        bytes = try row.int(3)
        sharedBytes = try row.int(4)
        detached = try row.text(5).split(separator: " ").map(String.init)
        missing = try row.text(6).split(separator: " ").map(String.init)
    }
}

/// Compares the loads of a shared store with the tallies of its gates.
enum FleetCount {
    /// One sentence for each gate whose tallies differ from its loads, and one for loads whose shared row is missing.
    static func differences(on connection: PostgresConnection) throws -> [String] {
        let rows = try connection.transaction(.snapshot) {
            try connection.run("SET LOCAL statement_timeout = 0")
            return try connection.query(
                """
                WITH there AS (
                    SELECT l.gate, s.recording, s.verdict, count(*) AS loads FROM atsgate.load l
                    LEFT JOIN atsgate.shared s ON s.id = l.shared GROUP BY 1, 2, 3
                )
                SELECT coalesce(g.host || coalesce(' ' || g.label, ''), 'unknown'), coalesce(there.gate, t.gate),
                    sum(coalesce(there.loads, 0))::int8, sum(coalesce(t.loads, 0))::int8,
                    coalesce(sum(there.loads) FILTER (WHERE there.recording IS NULL), 0)::int8
                FROM there FULL JOIN atsgate.tally t
                    ON (t.gate, t.recording, t.verdict) = (there.gate, there.recording, there.verdict)
                LEFT JOIN atsgate.gate g ON g.spool = coalesce(there.gate, t.gate)
                WHERE coalesce(there.loads, 0) <> coalesce(t.loads, 0)
                GROUP BY 1, 2 ORDER BY 1, 2
                """)
        }
        return try rows.map { row in
            let incomplete = try row.int(4)
            return """
                \(try row.text(0)) (\(try row.uuid(1))) has tallies for \(try row.int(3)) loads, but the store has \
                \(try row.int(2))\(incomplete > 0 ? ", \(incomplete) of them without a shared row" : ""): \
                another login may have shipped in its name
                """
        }
    }
}
