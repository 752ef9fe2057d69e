import GRDB

/// Numbers of a store's rows, which rise and never come again, whatever is deleted: whoever remembers how far he has read
/// finds all that was filed since behind it. SQLite alone would give the highest number there is, and 1
/// (sqlite.org/autoinc.html), so what was given is noted wherever rows are taken out.
enum StoreNumbers {
    /// The number of the row that was filed last, whether it is still there or not; 0 where there was none.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    static func last(in db: Database) throws -> Int64 {
        try db.number(lastSQL, [endOfNumbers, endOfNumbers]) ?? 0
    }

    /// To be called in the transaction that takes rows out, before it does.
    static func keep(in db: Database) throws {
        try db.execute(sql: "UPDATE meta SET high = ?", arguments: [try last(in: db)])
    }
}

/// Beyond the end are numbers that no gate gives.
private let lastSQL = """
    SELECT max(
        ifnull((SELECT max(seq) FROM load WHERE seq <= ?), 0),
        ifnull((SELECT high FROM meta WHERE high <= ?), 0))
    """
