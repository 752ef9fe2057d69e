import CSQLiteGuard
import GRDB
import GRDBSQLite
import Synchronization

/// Protects a connection from the file that it reads, which may come from anyone. Source of the list:
/// sqlite.org/security.html section 1.2.
enum StoreGuard {
    /// Call this before anything is read, even the schema.
    static func watch(_ db: Database, _ budget: StepBudget) throws {
        guard csqlite_guard(db.sqliteConnection) == SQLITE_OK else {
            throw DatabaseError(message: "this SQLite cannot be protected from untrusted files")
        }
        try db.execute(sql: "PRAGMA cell_size_check = ON")
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, longestValue)
        // Features that a hostile file could use within its schema. A valid store has no triggers, and only VACUUM
        // attaches anything.
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_TRIGGER_DEPTH, 1)
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_ATTACHED, 1)
        sqlite3_progress_handler(
            db.sqliteConnection, stepsBetweenLooks,
            { budget in budget.map { Unmanaged<StepBudget>.fromOpaque($0).takeUnretainedValue().spend() } ?? 0 },
            Unmanaged.passUnretained(budget).toOpaque())
    }
}

/// Limits the SQLite steps of one access to a store. The limit is higher than any intact file of that size needs, and
/// low enough to end within seconds. Without a limit, a page that is its own child would be read forever. The same
/// holds for a manipulated row number in a store that a gate is writing.
final class StepBudget: Sendable {
    private let left = Atomic<Int>(StepBudget.base)

    /// - Parameter bytes: size of the file.
    func begin(bytes: Int64) {
        left.store(Self.base + Int(clamping: min(bytes, 1 << 40)) * Self.stepsPerByte, ordering: .relaxed)
    }

    /// - Parameter loads: the number of loads to store; the size of the store does not matter.
    func begin(loads: Int) { left.store(Self.base + loads * Self.stepsPerLoad, ordering: .relaxed) }

    /// Removes the limit, for work that another file's budget limits.
    func lift() { left.store(.max, ordering: .relaxed) }

    /// - Returns: other than 0 to stop the statement (sqlite.org/c3ref/progress_handler.html).
    fileprivate func spend() -> Int32 {
        left.subtract(Int(stepsBetweenLooks), ordering: .relaxed).newValue < 0 ? 1 : 0
    }

    private static let base = 2_000_000
    /// A row takes forty bytes or more, and about ten steps for each of the few times that it is read.
    private static let stepsPerByte = 30
    /// A load with its own form, handshake and count takes some hundred.
    private static let stepsPerLoad = 1_000
}

/// In bytes: the longest form contains a chain of 100 KB.
private let longestValue: Int32 = 4 << 20
private let stepsBetweenLooks: Int32 = 10_000
