import GRDB

/// Which loads of a spool were shipped when, by the hour, for a day: a shared store that is set back to yesterday gets again
/// what came to it since, which the spool has to have until then.
enum ShippedHours {
    /// In the transaction that changes how far the spool was shipped.
    ///
    /// - Parameters:
    ///   - number: loads up to it are in the shared store, and none behind it.
    ///   - now: milliseconds since 1970-01-01 UTC.
    static func note(_ number: Int64, at now: Int64, in db: Database) throws {
        let hour = now / millisecondsOfAnHour
        // What a clock that was wrong has noted, and what a shared store has no more, was shipped now at the earliest.
        try db.cachedStatement(sql: "DELETE FROM shipped WHERE hour >= ? OR number > ?").execute(
            arguments: [hour, number])
        try db.cachedStatement(sql: "INSERT INTO shipped VALUES (?, ?)").execute(arguments: [hour, number])
        // Of those that are a day old the newest says it all.
        try db.cachedStatement(
            sql: "DELETE FROM shipped WHERE hour < (SELECT max(hour) FROM shipped WHERE hour <= ?)"
        ).execute(arguments: [hour - hoursKept])
    }

    /// Loads up to this number were shipped a day ago or earlier; 0 for none, and where nobody has noted it.
    static func last(before now: Int64, in db: Database) throws -> Int64 {
        try db.number(
            "SELECT max(number) FROM shipped WHERE hour <= ?",
            [now / millisecondsOfAnHour - hoursKept]) ?? 0
    }
}

private let millisecondsOfAnHour: Int64 = 3_600_000
/// One that ended a day ago.
private let hoursKept: Int64 = 25
