import GRDB

/// The numbers of a store's rows. They rise and are never reused, so a reader that remembers its last number finds all
/// later loads after it. SQLite alone would continue from the highest existing number, or from 1
/// (sqlite.org/autoinc.html). So the highest number used is stored before rows are deleted.
enum StoreNumbers {
    /// The number of the newest row, even if that row was deleted; 0 if there was none.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    static func last(in db: Database) throws -> Int64 {
        try db.number(lastSQL, [endOfNumbers, endOfNumbers]) ?? 0
    }

    /// Writes down the highest number. Call it in the transaction that deletes rows, before the deletion.
    static func keep(in db: Database) throws {
        try db.execute(sql: "UPDATE meta SET high = ?", arguments: [try last(in: db)])
    }
}

/// Numbers above the limit were not assigned by a gate, and are ignored.
private let lastSQL = """
    SELECT max(
        ifnull((SELECT max(seq) FROM load WHERE seq <= ?), 0),
        ifnull((SELECT high FROM meta WHERE high <= ?), 0))
    """
