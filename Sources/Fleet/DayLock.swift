import Postgres

/// The lock behind which days are made, and who keeps it from the others.
enum DayLock {
    private struct Holder: Hashable {
        /// Of the connection; 0 for a prepared transaction, which has none.
        let process: Int64
        let login: String?
        /// Nil where the server does not tell this login.
        let since: String?
        let transaction: String
    }

    /// One sentence for each transaction that holds it now and a second later. Who makes a day has it for some milliseconds.
    static func complaints(on connection: PostgresConnection) throws -> [String] {
        let before = try holders(on: connection)
        guard !before.isEmpty else { return [] }
        // The server tells nobody when a lock is given back: only a second look tells who keeps it from who makes a day.
        try connection.run("SELECT pg_catalog.pg_sleep(1)")
        let still = Set(before.map(\.transaction))
        return try holders(on: connection).filter { still.contains($0.transaction) }.map { holder in
            let since = holder.since.map { "since \($0) UTC" } ?? "(who is in pg_read_all_stats sees since when)"
            let login = holder.login ?? "an unknown login"
            guard holder.process != 0 else {
                return "a prepared transaction keeps gates from making days: pg_prepared_xacts tells which"
            }
            return """
                a transaction of \(login), process \(holder.process), keeps gates from making days \(since): where it stays, \
                SELECT pg_terminate_backend(\(holder.process)) ends it
                """
        }
    }

    /// The modes that conflict with the one that ATTACH takes. Source: PostgreSQL 15, table 13.2.
    private static func holders(on connection: PostgresConnection) throws -> [Holder] {
        let rows = try connection.query(
            """
            SELECT DISTINCT coalesce(l.pid, 0)::int8, a.usename::text,
                to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), l.virtualtransaction
            FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'relation' AND l.granted AND l.relation = 'atsgate.load'::regclass
                AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
                AND l.mode IN ('ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
                    'AccessExclusiveLock')
            ORDER BY 1
            """)
        return try rows.map { row in
            Holder(
                process: try row.int(0), login: try row.orNil(1, row.text), since: try row.orNil(2, row.text),
                transaction: try row.text(3))
        }
    }
}
