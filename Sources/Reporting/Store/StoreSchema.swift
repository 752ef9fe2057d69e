import GRDB

/// The tables of a store. Migrations are named, and frozen once released: add new ones, never change one.
enum StoreSchema {
    /// `ATSG`: marks a file as an atsgate store (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = 0x4154_5347

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 loads") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            // Rows are only appended. The long column is last, so that filters need not read it.
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
            try db.execute(sql: "CREATE INDEX load_by_recording ON load (recording, verdict, time)")
        }
        migrator.registerMigration("3 forms") { db in try makeForms(db) }
        migrator.registerMigration("4 handshakes") { db in try makeHandshakes(db) }
        migrator.registerMigration("5 spool") { db in try makeMeta(db) }
        migrator.registerMigration("6 shipped") { db in try makeShipped(db) }
        migrator.registerMigration("7 partings") { db in try addPartings(db) }
        return migrator
    }

    /// Stores the values that loads share once, in a form, and the rest in a row for each load. That takes a fifth of
    /// the bytes. Tallies, written once per batch, replace an index that slowed down each insert: they answer lists and
    /// counts.
    private static func makeForms(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE load RENAME TO old_load;
                CREATE TABLE form (
                    id INTEGER PRIMARY KEY,
                    recording TEXT NOT NULL,
                    host TEXT NOT NULL,
                    verdict TEXT NOT NULL,
                    os TEXT NOT NULL,
                    text TEXT NOT NULL
                );
                CREATE TABLE load (
                    seq INTEGER PRIMARY KEY,
                    form INTEGER NOT NULL,
                    time INTEGER NOT NULL,
                    rule TEXT,
                    entry TEXT NOT NULL
                );
                CREATE TABLE tally (
                    recording TEXT NOT NULL,
                    verdict TEXT NOT NULL,
                    loads INTEGER NOT NULL,
                    first_time INTEGER NOT NULL,
                    last_time INTEGER NOT NULL,
                    first_seq INTEGER NOT NULL,
                    last_seq INTEGER NOT NULL,
                    PRIMARY KEY (recording, verdict)
                ) WITHOUT ROWID;
                """)
        try OldLoads.move(in: db)
        try db.execute(sql: "DROP TABLE old_load")
    }

    /// Each handshake is stored once, shared by forms and recordings. Forms of older versions have none.
    private static func makeHandshakes(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE handshake (
                    id INTEGER PRIMARY KEY,
                    digest INTEGER NOT NULL,
                    text TEXT NOT NULL
                );
                CREATE INDEX handshake_by_digest ON handshake (digest);
                ALTER TABLE form ADD COLUMN handshake INTEGER;
                """)
    }

    /// One row about the store itself. `spool` identifies the store, whatever the file's name. `high` is the highest
    /// number of a deleted load. `shipped` is the last load that was shipped to a shared store, or NULL if loads are
    /// not shipped; `last` is that load's id. `dropped` counts the loads that were deleted before they were shipped.
    private static func makeMeta(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE meta (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    spool TEXT NOT NULL,
                    high INTEGER NOT NULL,
                    shipped INTEGER,
                    last TEXT,
                    dropped INTEGER NOT NULL
                );
                INSERT INTO meta VALUES (1, lower(hex(randomblob(16))), 0, NULL, NULL, 0);
                """)
    }

    /// The last load that was shipped in each of the last hours (counted from 1970-01-01 UTC).
    private static func makeShipped(_ db: Database) throws {
        try db.execute(sql: "CREATE TABLE shipped (hour INTEGER PRIMARY KEY, number INTEGER NOT NULL)")
    }

    /// `root` is the store's identity before it first diverged from what was shipped, or NULL if it has not. `waits` is
    /// true if loads stay in the store until they are shipped. Before this version `shipped` implied that; now any
    /// store may ship.
    private static func addPartings(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE meta ADD COLUMN root TEXT;
                ALTER TABLE meta ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
                UPDATE meta SET waits = shipped IS NOT NULL;
                """)
    }

    /// How complete a file is.
    enum State {
        /// No table was made yet.
        case empty
        /// From an older version, or from one that crashed while it made the tables.
        case older
        case current
    }

    /// Checks that `db` may be read as a store, before any other query.
    ///
    /// - Throws: ``StoreError`` if the file is not exactly ours, or newer; `DatabaseError` if it is damaged.
    static func check(_ db: Database, path: String) throws -> State {
        let tables: StoreTables
        do { tables = try StoreTables(of: db) } catch is StoreRow.Unreadable {
            throw StoreError.foreignDatabase(path: path)
        }
        guard !tables.isEmpty else { return .empty }
        guard try db.number("PRAGMA application_id") == Int64(applicationID) else {
            throw StoreError.foreignDatabase(path: path)
        }
        // This comes even before the list of versions is read.
        guard StoreTables.areKnown(tables) else { throw StoreError.foreignTables(path: path) }
        let versions = try versions(of: db, path: path)
        guard let last = versions.last else { throw StoreError.foreignTables(path: path) }
        guard tables == StoreTables.known(after: last) else { throw StoreError.foreignTables(path: path) }
        return versions.count == migrator.migrations.count ? .current : .older
    }

    /// The applied migrations, in order.
    private static func versions(of db: Database, path: String) throws -> ArraySlice<String> {
        var applied: Set<String> = []
        do {
            try db.forEachRow("SELECT identifier FROM main.grdb_migrations") { row in
                applied.insert(try row.text(0))
                return applied.count < 1000
            }
        } catch is StoreRow.Unreadable {
            throw StoreError.foreignTables(path: path)
        }
        let known = migrator.migrations
        guard applied.isSubset(of: known) else { throw StoreError.newerVersion(path: path) }
        guard applied.count == known.prefix(applied.count).filter(applied.contains).count else {
            throw StoreError.foreignTables(path: path)
        }
        return known.prefix(applied.count)
    }

    /// Translates an SQLite error into one that names the file.
    static func explained(_ error: any Error, path: String) -> StoreError {
        if let error = error as? StoreError { return error }
        if let error = error as? StoreRow.Unreadable { return .damaged(path: path, cause: "\(error)") }
        guard let error = error as? DatabaseError else { return .cannotOpen(path: path, cause: "\(error)") }
        if error.resultCode == .SQLITE_NOTADB { return .notADatabase(path: path) }
        if error.isDamage { return .damaged(path: path, cause: error.words) }
        if error.resultCode.primaryResultCode == .SQLITE_BUSY { return .inUse(path: path) }
        return .cannotOpen(path: path, cause: error.words)
    }
}

extension DatabaseError {
    /// True if the file is damaged: its pages contradict each other, a value is too long, or reading takes more steps
    /// than an intact file of its size needs.
    var isDamage: Bool {
        switch resultCode.primaryResultCode {
        case .SQLITE_CORRUPT, .SQLITE_TOOBIG, .SQLITE_INTERRUPT, .SQLITE_MISMATCH: true
        default: false
        }
    }

    /// True if the step budget is spent. A further attempt would only end the same way.
    var isOutOfSteps: Bool { resultCode.primaryResultCode == .SQLITE_INTERRUPT }

    /// SQLite's message, without the statement and its values.
    var words: String {
        isOutOfSteps ? "reading it takes more steps than a store of its size needs" : message ?? "\(resultCode)"
    }
}
