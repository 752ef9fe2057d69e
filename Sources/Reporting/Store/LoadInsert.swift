import GRDB
import GRDBSQLite

/// The statement that adds a load, and numbers the loads of one transaction. It is bound through SQLite's own
/// interface, because GRDB's arguments cost more than the insert.
struct LoadInsert {
    private let statement: Statement
    private let db: Database
    /// The number of the load that was added last.
    private(set) var last: Int64

    /// - Parameter db: in a write transaction.
    init(_ db: Database) throws {
        self.db = db
        statement = try db.cachedStatement(
            sql: "INSERT INTO load (seq, form, time, rule, entry) VALUES (?, ?, ?, ?, ?)")
        last = try StoreNumbers.last(in: db)
    }

    /// Adds a row with the next number.
    ///
    /// - Throws: `DatabaseError`.
    mutating func add(form: Int64, time: Int64, rule: String?, entry: [UInt8]) throws {
        let number = last + 1
        guard number <= endOfNumbers else { throw DatabaseError(message: "no numbers are left for new loads") }
        let handle = statement.sqliteStatement
        sqlite3_bind_int64(handle, 1, number)
        sqlite3_bind_int64(handle, 2, form)
        sqlite3_bind_int64(handle, 3, time)
        if let rule {
            sqlite3_bind_text(handle, 4, rule, -1, copied)
        } else {
            sqlite3_bind_null(handle, 4)
        }
        try entry.withUnsafeBytes { entry in
            // No destructor is SQLITE_STATIC: the text must stay until it is unbound (sqlite.org/c3ref/bind_blob.html).
            let text = entry.baseAddress?.assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text64(handle, 5, text, UInt64(entry.count), nil, UInt8(SQLITE_UTF8))
            defer { sqlite3_bind_null(handle, 5) }
            defer { sqlite3_reset(handle) }
            let code = sqlite3_step(handle)
            guard code == SQLITE_DONE else {
                let message = String(cString: sqlite3_errmsg(db.sqliteConnection))
                throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
            }
        }
        last = number
    }
}

/// `SQLITE_TRANSIENT`, a cast that Swift does not import from the header: SQLite makes a copy.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
