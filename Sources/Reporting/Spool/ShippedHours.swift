import GRDB

/// The loads of a spool that were shipped in each hour, for a day. A shared store that is restored from yesterday's
/// backup needs later loads again, so the spool keeps them that long.
enum ShippedHours {
    /// Notes how far the spool was shipped, in the same transaction.
    ///
    /// - Parameters:
    ///   - number: loads up to this number are in the shared store, and no others.
    ///   - now: milliseconds since 1970-01-01 UTC.
    static func note(_ number: Int64, at now: Int64, in db: Database) throws {
        let hour = now / millisecondsOfAnHour
        // Rows from a wrong clock, and rows for loads that the shared store has lost, count as shipped now.
        try db.cachedStatement(sql: "DELETE FROM shipped WHERE hour >= ? OR number > ?").execute(
            arguments: [hour, number])
        try db.cachedStatement(sql: "INSERT INTO shipped VALUES (?, ?)").execute(arguments: [hour, number])
        // Of the hours that are a day old, only the newest is needed.
        try db.cachedStatement(
            sql: "DELETE FROM shipped WHERE hour < (SELECT max(hour) FROM shipped WHERE hour <= ?)"
        ).execute(arguments: [hour - hoursKept])
    }

    /// Loads up to this number were shipped a day ago or earlier; 0 if there are none, or none are noted.
    static func last(before now: Int64, in db: Database) throws -> Int64 {
        try db.number(
            "SELECT max(number) FROM shipped WHERE hour <= ?",
            [now / millisecondsOfAnHour - hoursKept]) ?? 0
    }
}

private let millisecondsOfAnHour: Int64 = 3_600_000
/// The newest hour that ended a day ago.
private let hoursKept: Int64 = 25
