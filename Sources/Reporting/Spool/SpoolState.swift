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
