import GRDB
import GRDBSQLite

/// The statement that adds a load, bound through SQLite's own interface: GRDB's arguments cost more than the insert.
struct LoadInsert {
    private let statement: Statement
    private let db: Database

    init(_ db: Database) throws {
        self.db = db
        statement = try db.cachedStatement(sql: "INSERT INTO load (form, time, rule, entry) VALUES (?, ?, ?, ?)")
    }

    /// Adds a row.
    ///
    /// - Throws: `DatabaseError`.
    func add(form: Int64, time: Int64, rule: String?, entry: [UInt8]) throws {
        let handle = statement.sqliteStatement
        sqlite3_bind_int64(handle, 1, form)
        sqlite3_bind_int64(handle, 2, time)
        if let rule {
            sqlite3_bind_text(handle, 3, rule, -1, copied)
        } else {
            sqlite3_bind_null(handle, 3)
        }
        try entry.withUnsafeBytes { entry in
            // No destructor is SQLITE_STATIC: the text must stay until it is unbound (sqlite.org/c3ref/bind_blob.html).
            let text = entry.baseAddress?.assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text64(handle, 4, text, UInt64(entry.count), nil, UInt8(SQLITE_UTF8))
            defer { sqlite3_bind_null(handle, 4) }
            defer { sqlite3_reset(handle) }
            let code = sqlite3_step(handle)
            guard code == SQLITE_DONE else {
                let message = String(cString: sqlite3_errmsg(db.sqliteConnection))
                throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
            }
        }
    }
}

/// `SQLITE_TRANSIENT`, a cast that Swift does not import from the header: SQLite makes its own copy.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
