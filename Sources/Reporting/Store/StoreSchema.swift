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
            try db.execute(sql: "CREATE INDEX load_by_recording ON load (recording, verdict, time)")
        }
        migrator.registerMigration("3 forms") { db in try makeForms(db) }
        migrator.registerMigration("4 handshakes") { db in try makeHandshakes(db) }
        migrator.registerMigration("5 spool") { db in try makeMeta(db) }
        migrator.registerMigration("6 shipped") { db in try makeShipped(db) }
        migrator.registerMigration("7 partings") { db in try addPartings(db) }
        return migrator
    }

    /// What loads share is stored once, in a form, and what they do not in a row of their own; that is a fifth of the
    /// bytes. Tallies, written once per batch, answer lists and counts in place of an index that cost each insert.
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

    /// What a handshake showed is stored once, whatever forms and recordings share it. Forms of older versions have none.
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

    /// One row about the store itself: which one it is, whatever the file is called (`spool`), the highest number of a load
    /// that was taken out (`high`), how far it was brought into a shared store (`shipped`, NULL where it is not to be, and
    /// `last`, the id of that load), and how many loads were taken out that were not brought there (`dropped`).
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

    /// Of each of the last hours in which a spool was shipped (counted from 1970-01-01 UTC) the last load that was.
    private static func makeShipped(_ db: Database) throws {
        try db.execute(sql: "CREATE TABLE shipped (hour INTEGER PRIMARY KEY, number INTEGER NOT NULL)")
    }

    /// The identity that a store had before it first parted from what was shipped of it (`root`, NULL where it has not),
    /// and whether loads wait in it until they are shipped (`waits`), which `shipped` told before: any store may be.
    private static func addPartings(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE meta ADD COLUMN root TEXT;
                ALTER TABLE meta ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
                UPDATE meta SET waits = shipped IS NOT NULL;
                """)
    }

    /// How far a file is.
    enum State {
        /// Nobody has written to it.
        case empty
        /// Of an older version, or of one that died while it made the tables.
        case older
        case current
    }

    /// Looks whether `db` may be read as a store, and asks nothing of it before.
    ///
    /// - Throws: ``StoreError`` when the file is not exactly ours, or newer; `DatabaseError` when it is damaged.
    static func check(_ db: Database, path: String) throws -> State {
        let tables: StoreTables
        do { tables = try StoreTables(of: db) } catch is StoreRow.Unreadable {
            throw StoreError.foreignDatabase(path: path)
        }
        guard !tables.isEmpty else { return .empty }
        guard try db.number("PRAGMA application_id") == Int64(applicationID) else {
            throw StoreError.foreignDatabase(path: path)
        }
        // Not even the list of versions is asked for before.
        guard StoreTables.areKnown(tables) else { throw StoreError.foreignTables(path: path) }
        let versions = try versions(of: db, path: path)
        guard let last = versions.last else { throw StoreError.foreignTables(path: path) }
        guard tables == StoreTables.known(after: last) else { throw StoreError.foreignTables(path: path) }
        return versions.count == migrator.migrations.count ? .current : .older
    }

    /// The migrations that were applied, in their order.
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

    /// Translates what SQLite says about a file into words that name it.
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
    /// The file is at fault: its pages contradict each other, a value is longer than any of ours, or reading takes more
    /// steps than an honest file of its size needs.
    var isDamage: Bool {
        switch resultCode.primaryResultCode {
        case .SQLITE_CORRUPT, .SQLITE_TOOBIG, .SQLITE_INTERRUPT, .SQLITE_MISMATCH: true
        default: false
        }
    }

    /// The step budget is spent: whoever goes on would only meet it again.
    var isOutOfSteps: Bool { resultCode.primaryResultCode == .SQLITE_INTERRUPT }

    /// The whole error repeats the statement and its values; people need only SQLite's words.
    var words: String {
        isOutOfSteps ? "reading it takes more steps than a store of its size needs" : message ?? "\(resultCode)"
    }
}
