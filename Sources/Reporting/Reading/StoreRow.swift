import GRDB
import GRDBSQLite

/// One row of an answer, as long as the body runs that it was handed to. The only way from a store's file into the
/// program: SQLite keeps whatever it is given in any column (sqlite.org/flextypegood.html), so a value of another type
/// than asked for, or beyond its bounds, is an error. GRDB's own rows end the process there.
struct StoreRow {
    private let statement: OpaquePointer?

    init(_ statement: OpaquePointer?) {
        self.statement = statement
    }

    /// Why a row cannot be used.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: ``Unreadable``, also for NULL.
    func number(_ column: Int32) throws(Unreadable) -> Int64 {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw unreadable(column, "a number") }
        return sqlite3_column_int64(statement, column)
    }

    /// A number of things: 0 or more, and few enough to be added up.
    func count(_ column: Int32) throws(Unreadable) -> Int64 {
        let number = try number(column)
        guard (0...mostThings).contains(number) else { throw unreadable(column, "a count") }
        return number
    }

    /// Milliseconds since 1970-01-01 UTC, within the years that have a written form; differences do not overflow.
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

    func textIfAny(_ column: Int32) throws(Unreadable) -> String? { isNull(column) ? nil : try text(column) }

    /// What a text consists of. The text comes first: asking for it may be what makes SQLite convert it
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
    /// Hands over the rows of an answer one by one.
    ///
    /// - Parameter body: whether to go on.
    /// - Throws: `DatabaseError`, and what `body` throws.
    func forEachRow(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ body: (StoreRow) throws -> Bool
    ) throws {
        try rows(of: makeStatement(sql: sql), arguments, body)
    }

    /// What `read` makes of the first row; nil where there is none.
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

    /// The number that a question is answered with; nil for NULL or no answer.
    func number(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int64? {
        try first(sql, arguments) { $0.isNull(0) ? nil : try $0.number(0) } ?? nil
    }

    /// - Parameter statement: not in use until this returns.
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
