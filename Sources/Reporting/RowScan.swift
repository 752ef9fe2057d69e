import GRDB
import GRDBSQLite
import Records

/// The rows of a store, one by one in the order filed, through SQLite's own interface: GRDB's rows cost more than what
/// is done with a million of them.
struct RowScan {
    /// One row, as long as the body runs that it was handed to.
    struct Row {
        fileprivate let statement: OpaquePointer?

        var seq: Int64 { sqlite3_column_int64(statement, 0) }
        /// The form's own number.
        var form: Int64 { sqlite3_column_int64(statement, 1) }
        /// In milliseconds since 1970-01-01 UTC.
        var time: Int64 { sqlite3_column_int64(statement, 2) }
        /// Empty where no rule decided.
        var rule: UnsafeBufferPointer<UInt8> { text(3) }
        var entry: UnsafeBufferPointer<UInt8> { text(4) }

        /// The text comes first: asking for it may be what makes SQLite convert it (sqlite.org/c3ref/column_blob.html).
        private func text(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
            let text = sqlite3_column_text(statement, column)
            return UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column)))
        }
    }

    /// - Throws: `DatabaseError`, and what `body` throws.
    static func forEach(_ filter: LoadFilter, in db: Database, _ body: (Row) throws -> Void) throws {
        let sql = "SELECT load.seq, load.form, load.time, load.rule, load.entry FROM load \(filter.sql) ORDER BY seq"
        let statement = try db.makeStatement(sql: sql)
        try statement.setArguments(filter.arguments)
        let handle = statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try body(Row(statement: handle))
            case SQLITE_DONE: return
            case let code:
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code),
                    message: String(cString: sqlite3_errmsg(db.sqliteConnection)))
            }
        }
    }
}
