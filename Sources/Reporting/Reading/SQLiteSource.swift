import GRDB

/// A store that is a file.
final class SQLiteSource: StoreSource {
    let name: String
    private let database: StoreConnection

    var isFile: Bool { true }
    /// To look is as quick as to ask.
    var hasNews: Bool { true }

    /// - Parameter isAlone: nobody else may have the file open, nor open it while this source lives.
    /// - Throws: ``StoreError`` that names `path`.
    init(path: String, isAlone: Bool) throws(StoreError) {
        name = path
        do {
            guard try StoreFile.isThere(path) else { throw StoreError.missing(path: path) }
            database = try StoreConnection(path: path) { configuration in
                configuration.readonly = !isAlone
                // Before anything is read, a log is then nobody else's (sqlite.org/pragma.html#pragma_locking_mode).
                if isAlone { configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") } }
            }
            try database.read { db in
                switch try StoreSchema.check(db, path: path) {
                // A file that no gate has written to yet, or one that died before its first migration.
                case .empty: throw StoreError.foreignDatabase(path: path)
                case .older: throw StoreError.olderVersion(path: path)
                case .current: break
                }
            }
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }

    func close() throws { try database.close() }

    func look<Answer>(noting damage: StoreDamage, _ body: (any StoreView) throws -> Answer) throws -> Answer {
        try read { try body(SQLiteView($0, noting: damage, path: name)) }
    }

    /// One look at the file.
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
