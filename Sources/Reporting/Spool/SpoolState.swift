import Foundation
import GRDB

/// The store's description of itself: the one row of `meta`.
struct SpoolState: Equatable {
    /// The store's identity, wherever the file is: 32 hexadecimal digits. A copy of the file has the same.
    var identity: String
    /// The highest number that a load had; see ``StoreNumbers``.
    var high: Int64 = 0
    /// True if loads stay until they are in a shared store, to which gates that record here ship them.
    var isSpool = false
    /// Loads up to this number are in a shared store; nil if the store was never shipped.
    var shipped: Int64?
    /// Loads that were deleted before they could be shipped.
    var dropped: Int64 = 0

    fileprivate init(_ row: StoreRow) throws(StoreRow.Unreadable) {
        identity = try row.text(0)
        guard isIdentity(identity) else {
            throw StoreRow.Unreadable(description: "its identity is invalid")
        }
        isSpool = try row.number(4) != 0
        high = try row.count(1)
        shipped = row.isNull(2) ? nil : try row.count(2)
        dropped = try row.count(3)
    }

    /// The state of a store ; nil if the row was removed.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    static func read(in db: Database) throws -> SpoolState? {
        try db.first("SELECT spool, high, shipped, dropped, waits FROM meta") { try SpoolState($0) }
    }

    /// The state of a store.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``, also if the row was removed.
    static func ensured(in db: Database) throws -> SpoolState {
        guard let state = try read(in: db) else { throw StoreRow.Unreadable(description: "its identity is missing") }
        return state
    }

    /// Makes the store a spool, which notes how far it was shipped.
    static func makeSpool(in db: Database) throws {
        var state = try ensured(in: db)
        guard !state.isSpool else { return }
        state.isSpool = true
        state.shipped = state.shipped ?? 0
        try state.write(to: db)
    }

    /// Replaces the row in the store.
    func write(to db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO meta VALUES (1, ?, ?, ?, ?, ?)").execute(
            arguments: [identity, high, shipped, dropped, isSpool])
    }

    /// Counts the loads before `end` that were not shipped. Call it in the transaction that deletes them, before the
    /// deletion.
    ///
    /// - Returns: the number of loads that were not shipped.
    static func countDropped(before end: Int64, in db: Database) throws -> Int {
        guard var state = try read(in: db) else { return 0 }
        let sql = "SELECT count(*) FROM load WHERE seq > ? AND seq < ?"
        let count = try db.number(sql, [state.shipped ?? 0, end]) ?? 0
        guard count > 0 else { return 0 }
        state.dropped += count
        try state.write(to: db)
        return Int(count)
    }
}

/// 128 bits.
private let identityLength = 32
private func isIdentity(_ text: String) -> Bool { text.utf8.count == identityLength && text.utf8.allSatisfy(isDigit) }
private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}

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

/// The state of a spool at one moment, for metrics.
public struct SpoolFigures: Sendable, Hashable {
    /// The approximate number of loads up to this number that are not known to be in the shared store; see ``waiting``.
    public func waiting(upTo number: Int64) -> Int64 {
        first.map { max(0, min(number, last) - $0 + 1) } ?? 0
    }

    /// The spool's identity, 32 hexadecimal digits; nil if it was removed from the file.
    public var identity: String?
    /// Loads that are not known to be in the shared store; approximate if some were deleted.
    public var waiting: Int64 = 0
    /// The number of the first of them; nil if there is none.
    public var first: Int64?
    /// The highest number that a load was given; 0 if there was none.
    public var last: Int64 = 0
    /// When the oldest of them began, in milliseconds since 1970-01-01 UTC; nil if there is none.
    public var oldest: Int64?
    /// Loads that were dropped since the spool was made, because it was full.
    public var dropped: Int64 = 0
}

/// Reads the state of a spool. Has its own connection, because the forwarder may be waiting for a server.
public final class SpoolGauge: Sendable {
    private let database: StoreConnection

    /// - Throws: ``StoreError``.
    public init(path: String) throws(StoreError) {
        database = try StoreSink.open(path: path)
    }

    /// - Throws: ``StoreError``.
    public func figures() throws(StoreError) -> SpoolFigures {
        try database.reading { db in
            let state = try SpoolState.read(in: db)
            let shipped = state?.shipped ?? 0
            var figures = SpoolFigures()
            figures.identity = state?.identity
            figures.dropped = state?.dropped ?? 0
            let first = try db.first(firstSQL, [shipped]) { (try $0.number(0), try $0.time(1)) }
            figures.last = try StoreNumbers.last(in: db)
            guard let first else { return figures }
            figures.waiting = figures.last - first.0 + 1
            (figures.first, figures.oldest) = first
            return figures
        }
    }
}

private let firstSQL = "SELECT seq, time FROM load WHERE seq > ? ORDER BY seq LIMIT 1"

/// The state of a forwarder, for metrics.
public struct ForwarderFigures: Sendable, Hashable {
    /// Loads shipped to the shared store since it started.
    public var shipped = 0
    /// Failed attempts: connections, and batches.
    public var failures = 0
    /// Loads that the server rejected, or whose text it cannot store.
    public var refused = 0
    /// True if it is connected.
    public var isConnected = false
    /// The reason why the last attempt failed, for the user; nil once the server accepts loads again.
    public var trouble: String?

    public init() {}
}
