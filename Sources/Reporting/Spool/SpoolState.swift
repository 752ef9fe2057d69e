import GRDB

/// What a store says of itself: its one row of `meta`.
struct SpoolState: Equatable {
    /// Which store it is, wherever the file is: 32 hexadecimal digits. A copy of the file has the same.
    var identity: String
    /// The identity that it had first, where it has parted from what was shipped of it since; nil for the same.
    var root: String?
    /// Numbers of loads up to it were given; see ``StoreNumbers``.
    var high: Int64 = 0
    /// Loads stay until they are in a shared store: gates with one record here.
    var isSpool = false
    /// Loads up to this number are in a shared store; nil for a store that was never brought into one.
    var shipped: Int64?
    /// The id of the load of that number.
    var last: String?
    /// Loads that were taken out before they could be brought into the shared store.
    var dropped: Int64 = 0

    fileprivate init(_ row: StoreRow) throws(StoreRow.Unreadable) {
        identity = try row.text(0)
        root = try row.textIfAny(5)
        guard isIdentity(identity), root.map(isIdentity) ?? true else {
            throw StoreRow.Unreadable(description: "its identity is none")
        }
        isSpool = try row.number(6) != 0
        high = try row.count(1)
        shipped = row.isNull(2) ? nil : try row.count(2)
        last = try row.textIfAny(3)
        dropped = try row.count(4)
    }

    /// Of a store that this version made, or brought up to date; nil where somebody took the row out.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    static func read(in db: Database) throws -> SpoolState? {
        try db.first("SELECT spool, high, shipped, last, dropped, root, waits FROM meta") { try SpoolState($0) }
    }

    /// The same; a store without gets a row of its own.
    static func ensured(in db: Database) throws -> SpoolState {
        if let state = try read(in: db) { return state }
        try db.execute(
            sql: "INSERT OR IGNORE INTO meta (id, spool, high, dropped) VALUES (1, lower(hex(randomblob(16))), 0, 0)")
        guard let state = try read(in: db) else { throw StoreRow.Unreadable(description: "its identity is missing") }
        return state
    }

    /// From now on the store tells how far it was shipped.
    static func makeSpool(in db: Database) throws {
        var state = try ensured(in: db)
        guard !state.isSpool else { return }
        state.isSpool = true
        state.shipped = state.shipped ?? 0
        try state.write(to: db)
    }

    /// Puts it in the place of what is there.
    func write(to db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, ?)").execute(
            arguments: [identity, high, shipped, last, dropped, root, isSpool])
    }

    /// To be called in the transaction that takes the loads before `end` out of a spool, before it does.
    ///
    /// - Returns: how many of them were not shipped.
    static func countDropped(before end: Int64, in db: Database) throws -> Int {
        guard var state = try read(in: db) else { return 0 }
        let sql = "SELECT count(*) FROM load WHERE seq > ? AND seq < ?"
        let count = try db.number(sql, [state.shipped ?? 0, end]) ?? 0
        guard count > 0 else { return 0 }
        state.dropped += count
        try state.write(to: db)
        return Int(count)
    }

    /// Has the copy `db` of a store, which is to take its place, be the same one.
    static func adopt(from reader: StoreReader, in db: Database) throws {
        guard var state = found(by: reader) else {
            return reader.damage.note(part: "which store it is: a shared store would take its loads for others'")
        }
        state.high = max(state.high, try StoreNumbers.last(in: db))
        try state.write(to: db)
    }

    /// nil also where it cannot be read.
    private static func found(by reader: StoreReader) -> SpoolState? {
        try? reader.readFile { view in
            var state = try read(in: view.db)
            state?.high = try StoreNumbers.last(in: view.db)
            return state
        }
    }
}

/// 128 bits.
private let identityLength = 32
private func isIdentity(_ text: String) -> Bool { text.utf8.count == identityLength && text.utf8.allSatisfy(isDigit) }
private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}
