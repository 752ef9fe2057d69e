import GRDB

/// The tables of a store. Migrations are named and frozen once shipped: never change one, only add.
enum StoreSchema {
    /// `ATSG`: tells our files from those of other programs (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = 0x4154_5347

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 loads") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            // Rows are only ever added at the end, and the long column is last: filters need not read over it.
            try db.execute(
                sql: """
                    CREATE TABLE load (
                        seq INTEGER PRIMARY KEY,
                        id TEXT NOT NULL,
                        recording TEXT NOT NULL,
                        time INTEGER NOT NULL,
                        host TEXT NOT NULL,
                        verdict TEXT NOT NULL,
                        rule TEXT,
                        os TEXT NOT NULL,
                        record TEXT NOT NULL
                    )
                    """)
        }
        migrator.registerMigration("2 recordings") { db in
            // The only index, as every index costs each insert. It answers lists and counts without reading rows.
            try db.execute(sql: "CREATE INDEX load_by_recording ON load (recording, verdict, time)")
        }
        return migrator
    }

    /// Settings of every connection to a store.
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "atsgate.store"
        // Another gate may be writing a batch, and a report may be reading.
        configuration.busyMode = .timeout(5)
        return configuration
    }

    /// Whether `db` may be read as a store.
    ///
    /// - Throws: ``StoreError`` when the file is not ours, or newer.
    static func check(_ db: Database, path: String) throws {
        let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        guard id == applicationID || tables == 0 else { throw StoreError.foreignDatabase(path: path) }
        guard try !migrator.hasBeenSuperseded(db) else { throw StoreError.newerVersion(path: path) }
    }

    /// Translates what SQLite says about a file into words that name it.
    static func explained(_ error: any Error, path: String) -> StoreError {
        if let error = error as? StoreError { return error }
        guard let error = error as? DatabaseError else { return .cannotOpen(path: path, cause: "\(error)") }
        if error.resultCode == .SQLITE_NOTADB { return .notADatabase(path: path) }
        return .cannotOpen(path: path, cause: error.message ?? "\(error.resultCode)")
    }
}
