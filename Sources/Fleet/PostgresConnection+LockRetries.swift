import Postgres

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
