import GRDB

/// Rises when rows that are shared were taken out, so that whoever remembers some forgets them. Kept where SQLite keeps
/// an application's own number (sqlite.org/pragma.html#pragma_user_version).
enum StoreGeneration {
    static func current(in db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "PRAGMA user_version")) ?? 0
    }

    static func rise(in db: Database) throws {
        try db.execute(sql: "PRAGMA user_version = \(try current(in: db) + 1)")
    }
}
