import GRDB
import GRDBSQLite
import Records

/// One row of a result. Valid only during the call that receives it. All values of a store's file are read through this
/// type: SQLite stores any type in any column (sqlite.org/flextypegood.html), so a value of an unexpected type or size
/// is an error. GRDB's own rows would end the process.
struct StoreRow {
    private let statement: OpaquePointer?

    init(_ statement: OpaquePointer?) {
        self.statement = statement
    }

    /// The reason why a row cannot be used.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: ``Unreadable``, also for NULL.
    func number(_ column: Int32) throws(Unreadable) -> Int64 {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw unreadable(column, "a number") }
        return sqlite3_column_int64(statement, column)
    }

    /// A number of things: 0 or more, and small enough that sums do not overflow.
    func count(_ column: Int32) throws(Unreadable) -> Int64 {
        let number = try number(column)
        guard (0...mostThings).contains(number) else { throw unreadable(column, "a count") }
        return number
    }

    /// Milliseconds since 1970-01-01 UTC, up to the year 9999; differences do not overflow.
    func time(_ column: Int32) throws(Unreadable) -> Int64 {
        let number = try number(column)
        guard (-lastTime...lastTime).contains(number) else { throw unreadable(column, "a time") }
        return number
    }

    /// The number of a row; nil for NULL. Differences do not overflow.
    func place(_ column: Int32) throws(Unreadable) -> Int64? {
        if isNull(column) { return nil }
        let number = try number(column)
        guard (-lastPlace...lastPlace).contains(number) else { throw unreadable(column, "the number of a row") }
        return number
    }

    /// UTF-8.
    func text(_ column: Int32) throws(Unreadable) -> String {
        guard let text = String(validating: try bytes(column), as: UTF8.self) else {
            throw unreadable(column, "text in UTF-8")
        }
        return text
    }

    /// The 16 bytes of an id; nil for NULL and any other value.
    func id(_ column: Int32) throws(Unreadable) -> LoadID? {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB, let bytes = sqlite3_column_blob(statement, column),
            sqlite3_column_bytes(statement, column) == 16
        else { return nil }
        let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        return LoadID(high: high, low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    func textIfAny(_ column: Int32) throws(Unreadable) -> String? { isNull(column) ? nil : try text(column) }

    /// The bytes of a text. The text is requested before its length, because SQLite may convert it
    /// (sqlite.org/c3ref/column_blob.html).
    func bytes(_ column: Int32) throws(Unreadable) -> UnsafeBufferPointer<UInt8> {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { throw unreadable(column, "text") }
        let text = sqlite3_column_text(statement, column)
        return UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column)))
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    private func unreadable(_ column: Int32, _ wanted: String) -> Unreadable {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "column \(column)"
        return Unreadable(description: "its \(name) is not \(wanted)")
    }
}

extension Database {
    /// Calls `body` with each row of a result.
    ///
    /// - Parameter body: returns true to continue.
    /// - Throws: `DatabaseError`, and what `body` throws.
    func forEachRow(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ body: (StoreRow) throws -> Bool
    ) throws {
        try rows(of: makeStatement(sql: sql), arguments, body)
    }

    /// The first row, converted by `read`; nil if there is none.
    func first<Value>(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ read: (StoreRow) throws -> Value
    ) throws -> Value? {
        var value: Value?
        try rows(of: cachedStatement(sql: sql), arguments) { row in
            value = try read(row)
            return false
        }
        return value
    }

    /// The number in the first row; nil for NULL or no row.
    func number(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int64? {
        try first(sql, arguments) { $0.isNull(0) ? nil : try $0.number(0) } ?? nil
    }

    /// - Parameter statement: must not be in use until this returns.
    func rows(
        of statement: Statement, _ arguments: StatementArguments, _ body: (StoreRow) throws -> Bool
    ) throws {
        try statement.setArguments(arguments)
        let handle = statement.sqliteStatement
        sqlite3_reset(handle)
        defer { sqlite3_reset(handle) }
        let row = StoreRow(handle)
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: guard try body(row) else { return }
            case SQLITE_DONE: return
            case let code:
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(sqliteConnection)))
            }
        }
    }
}

/// The end of the year 9999, in milliseconds since 1970-01-01 UTC.
private let lastTime: Int64 = 253_402_300_799_999
private let lastPlace: Int64 = 1 << 61
private let mostThings: Int64 = 1 << 48
