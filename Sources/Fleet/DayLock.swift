import Postgres

/// The lock that making a day takes, and the transactions that block it.
enum DayLock {
    private struct Holder: Hashable {
        /// The connection's process; 0 for a prepared transaction, which has none.
        let process: Int64
        let login: String?
        /// nil if the server hides it from this login.
        let since: String?
        let transaction: String
    }

    /// One sentence for each transaction that holds the lock both now and a second later. Making a day holds it for
    /// some milliseconds only.
    static func complaints(on connection: PostgresConnection) throws -> [String] {
        let before = try holders(on: connection)
        guard !before.isEmpty else { return [] }
        // The server does not report released locks, so a second look is needed to find the ones that last.
        try connection.run("SELECT pg_catalog.pg_sleep(1)")
        let still = Set(before.map(\.transaction))
        return try holders(on: connection).filter { still.contains($0.transaction) }.map { holder in
            let since = holder.since.map { "since \($0) UTC" } ?? "(members of pg_read_all_stats can see since when)"
            let login = holder.login ?? "an unknown login"
            guard holder.process != 0 else {
                return "a prepared transaction blocks the creation of days: find it in pg_prepared_xacts"
            }
            return """
                a transaction of \(login), process \(holder.process), blocks the creation of days \(since): to end \
                it, run SELECT pg_terminate_backend(\(holder.process))
                """
        }
    }

    /// The holders of locks that conflict with the lock of ATTACH. Source: PostgreSQL 15, table 13.2.
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

extension PostgresConnection {
    /// Runs `body` in a transaction that gives up quickly if it cannot get a lock, and tries again after ten times as
    /// long. While it waits for a lock, all other sessions wait in the queue after it.
    ///
    /// - Parameter body: called again from the start if a lock was not available.
    func withLockRetries<Value>(_ body: () throws -> Value) throws -> Value {
        var milliseconds: Int64 = 50
        while true {
            do {
                return try transaction {
                    try run("SET LOCAL lock_timeout = \(milliseconds)")
                    return try body()
                }
            } catch PostgresError.refused(sqlState: "55P03", _) {
                // lock_not_available (PostgreSQL 15, appendix A). The server does not notify sessions when a lock is
                // free; only its queue does, and there all others would wait too. While pg_sleep runs, the connection
                // is not idle.
                try run("SELECT pg_catalog.pg_sleep(\(milliseconds) / 100.0)")
                milliseconds = min(2 * milliseconds, longestLockMilliseconds)
            }
        }
    }
}

private let longestLockMilliseconds: Int64 = 2_000
