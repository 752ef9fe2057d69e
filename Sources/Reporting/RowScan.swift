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

    private let sql: String
    private let arguments: StatementArguments
    /// The first row that may count and the last one: what is filed later is not looked at.
    private let first: Int64
    private let last: Int64
    /// Looked up once, in place of once for each row; nil for all.
    private var forms: Set<Int64>?

    init(_ filter: LoadFilter, in db: Database) throws {
        let ends = try GRDB.Row.fetchOne(db, sql: filter.ends.sql, arguments: filter.ends.arguments)
        (first, last) = (ends?[0] ?? 0, ends?[1] ?? -1)
        forms = try Self.forms(filter, in: db)
        let condition = filter.rows.sql.isEmpty ? "" : " AND " + filter.rows.sql
        sql = "SELECT seq, form, time, rule, entry FROM load WHERE seq BETWEEN ? AND ?\(condition) ORDER BY seq"
        arguments = filter.rows.arguments
    }

    /// Looks up again which forms are wanted; what was filed since stays out.
    mutating func renew(_ filter: LoadFilter, in db: Database) throws {
        forms = try Self.forms(filter, in: db)
    }

    private static func forms(_ filter: LoadFilter, in db: Database) throws -> Set<Int64>? {
        try filter.forms.map { try Set(Int64.fetchAll(db, sql: $0.sql, arguments: $0.arguments)) }
    }

    /// - Parameters:
    ///   - seq: rows up to it are left out.
    ///   - body: whether to go on.
    /// - Throws: `DatabaseError`, and what `body` throws.
    func forEach(behind seq: Int64 = -1, in db: Database, _ body: (Row) throws -> Bool) throws {
        let statement = try db.cachedStatement(sql: sql)
        try statement.setArguments([max(first, seq + 1), last] + arguments)
        let handle = statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        // Of the row before: most are like it.
        var known: (form: Int64, isWanted: Bool) = (-1, false)
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW:
                let row = Row(statement: handle)
                if row.form != known.form { known = (row.form, forms?.contains(row.form) ?? true) }
                if known.isWanted, try !body(row) { return }
            case SQLITE_DONE: return
            case let code:
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code),
                    message: String(cString: sqlite3_errmsg(db.sqliteConnection)))
            }
        }
    }
}
