import GRDB

/// A number that rises when shared rows are deleted, so that caches of their numbers are dropped. Uses the number that
/// SQLite reserves for applications (sqlite.org/pragma.html#pragma_user_version).
enum StoreGeneration {
    static func current(in db: Database) throws -> Int {
        Int(try db.number("PRAGMA user_version") ?? 0)
    }

    static func rise(in db: Database) throws {
        // A signed number of 32 bits.
        try db.execute(sql: "PRAGMA user_version = \(Int32(truncatingIfNeeded: try current(in: db) &+ 1))")
    }
}
