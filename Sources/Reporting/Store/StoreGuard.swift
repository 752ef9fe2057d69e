import CSQLiteGuard
import GRDB
import GRDBSQLite
import Synchronization

/// Keeps a connection safe from the file that it reads, which anybody may have written. Source of the list:
/// sqlite.org/security.html section 1.2.
enum StoreGuard {
    /// Before anything is read, the schema included.
    static func watch(_ db: Database, _ budget: StepBudget) throws {
        guard csqlite_guard(db.sqliteConnection) == SQLITE_OK else {
            throw DatabaseError(message: "this SQLite cannot be kept safe from the files that it reads")
        }
        try db.execute(sql: "PRAGMA cell_size_check = ON")
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, longestValue)
        // What a hostile file could ask for within its schema; ours has no triggers, and only VACUUM attaches anything.
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_TRIGGER_DEPTH, 1)
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_ATTACHED, 1)
        sqlite3_progress_handler(
            db.sqliteConnection, stepsBetweenLooks,
            { budget in budget.map { Unmanaged<StepBudget>.fromOpaque($0).takeUnretainedValue().spend() } ?? 0 },
            Unmanaged.passUnretained(budget).toOpaque())
    }
}

/// How many steps of SQLite's machine one access to a store may take: more than any honest file of its size needs, and
/// few enough for seconds. A page that is its own child costs nothing on the disk and would be read for ever, and so
/// would the writer's next number, where somebody put it into the store while a gate records into it.
final class StepBudget: Sendable {
    private let left = Atomic<Int>(StepBudget.base)

    /// - Parameter bytes: size of the file.
    func begin(bytes: Int64) {
        left.store(Self.base + Int(clamping: min(bytes, 1 << 40)) * Self.stepsPerByte, ordering: .relaxed)
    }

    /// - Parameter loads: which are filed, in a store of any size.
    func begin(loads: Int) { left.store(Self.base + loads * Self.stepsPerLoad, ordering: .relaxed) }

    /// For a file that is bounded by another one.
    func lift() { left.store(.max, ordering: .relaxed) }

    /// - Returns: other than 0 to stop the statement (sqlite.org/c3ref/progress_handler.html).
    fileprivate func spend() -> Int32 {
        left.subtract(Int(stepsBetweenLooks), ordering: .relaxed).newValue < 0 ? 1 : 0
    }

    private static let base = 2_000_000
    /// A row takes forty bytes or more, and some ten steps for each of the few times that it is looked at.
    private static let stepsPerByte = 30
    /// A load with a form, a handshake and a count of its own takes some hundred.
    private static let stepsPerLoad = 1_000
}

/// In bytes: the longest form has a chain of 100 KB in it.
private let longestValue: Int32 = 4 << 20
private let stepsBetweenLooks: Int32 = 10_000
