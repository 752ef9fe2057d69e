import Postgres

extension PostgresConnection {
    /// In a transaction that gives up soon what it cannot lock, and is tried again ten times as long after that: everybody
    /// else waits behind who waits for a lock.
    ///
    /// - Parameter body: is called again, from the start, where something was not to be locked.
    func patiently<Value>(_ body: () throws -> Value) throws -> Value {
        var milliseconds: Int64 = 50
        while true {
            do {
                return try transaction {
                    try run("SET LOCAL lock_timeout = \(milliseconds)")
                    return try body()
                }
            } catch PostgresError.refused(sqlState: "55P03", _) {
                // lock_not_available (PostgreSQL 15, appendix A). The server tells nobody when a lock is free but who waits in
                // its queue, and everybody else would wait behind that one. Asleep there, the connection is not idle.
                try run("SELECT pg_catalog.pg_sleep(\(milliseconds) / 100.0)")
                milliseconds = min(2 * milliseconds, longestLockMilliseconds)
            }
        }
    }
}

private let longestLockMilliseconds: Int64 = 2_000
