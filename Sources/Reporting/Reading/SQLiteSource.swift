import GRDB

/// A store that is a file.
final class SQLiteSource: StoreSource {
    let name: String
    private let database: StoreConnection

    var isFile: Bool { true }
    /// Always true: a check would take as long as the read itself.
    var hasNews: Bool { true }

    /// - Parameter isAlone: locks the file, so that no other process has it open while this source exists.
    /// - Throws: ``StoreError`` that names `path`.
    init(path: String, isAlone: Bool) throws(StoreError) {
        name = path
        do {
            guard try StoreFile.exists(path) else { throw StoreError.missing(path: path) }
            database = try StoreConnection(path: path) { configuration in
                configuration.readonly = !isAlone
                // Set before the first read, so that no other process shares the log
                // (sqlite.org/pragma.html#pragma_locking_mode).
                if isAlone { configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") } }
            }
            try database.read { db in
                // A file without tables: no gate has written to it yet, or it crashed before it made them.
                guard try StoreSchema.isMade(in: db, path: path) else { throw StoreError.foreignDatabase(path: path) }
            }
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }

    func look<Answer>(noting damage: StoreDamage, _ body: (any StoreView) throws -> Answer) throws -> Answer {
        try read { try body(SQLiteView($0, noting: damage, path: name)) }
    }

    /// Reads the file in one transaction.
    ///
    /// - Throws: what `body` throws; ``StoreError`` for an error of the database.
    func read<Answer>(_ body: (Database) throws -> Answer) throws -> Answer {
        do {
            return try database.read(body)
        } catch let error where error is DatabaseError || error is StoreRow.Unreadable {
            throw StoreSchema.explained(error, path: name)
        }
    }
}
