import GRDB

/// The tables of a store. A change of them is a new ``version``: a store of another version is rejected.
enum StoreSchema {
    /// `ATS`: marks a file as an atsgate store, with ``version`` in the last byte
    /// (sqlite.org/pragma.html#pragma_application_id).
    private static let mark: Int64 = 0x4154_5300
    /// The version of the tables, 1 to 255.
    static let version: Int64 = 1

    /// Makes the tables of a new file, in the open transaction.
    static func make(in db: Database) throws {
        try db.execute(sql: tables)
        try db.execute(sql: "PRAGMA application_id = \(mark | version)")
    }

    /// `form` has the values that loads share, once; `load` the rest, a row for each load, with the long column last.
    /// `tally`, written once per batch, answers lists and counts without an index, which slowed down each insert.
    /// `handshake` is shared by forms and recordings.
    ///
    /// `meta` has one row: the state of the store. `spool` identifies the store, whatever the file's name, and `root` is
    /// its identity before it first diverged from what was shipped, or NULL. `high` is the highest number of a deleted
    /// load. `shipped` is the last load that was shipped to a shared store, or NULL; `last` is that load's id, and
    /// `dropped` counts the loads that were deleted before they were shipped. `waits` is true if loads stay in the
    /// store until they are shipped. `shipped` has the last load that was shipped in each of the last hours, counted
    /// from 1970-01-01 UTC.
    private static let tables = """
        CREATE TABLE form (
            id INTEGER PRIMARY KEY,
            recording TEXT NOT NULL,
            host TEXT NOT NULL,
            verdict TEXT NOT NULL,
            os TEXT NOT NULL,
            text TEXT NOT NULL,
            handshake INTEGER
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
        CREATE TABLE handshake (
            id INTEGER PRIMARY KEY,
            digest INTEGER NOT NULL,
            text TEXT NOT NULL
        );
        CREATE INDEX handshake_by_digest ON handshake (digest);
        CREATE TABLE meta (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            spool TEXT NOT NULL,
            high INTEGER NOT NULL,
            shipped INTEGER,
            last TEXT,
            dropped INTEGER NOT NULL,
            root TEXT,
            waits INTEGER NOT NULL DEFAULT 0
        );
        INSERT INTO meta (id, spool, high, dropped) VALUES (1, lower(hex(randomblob(16))), 0, 0);
        CREATE TABLE shipped (hour INTEGER PRIMARY KEY, number INTEGER NOT NULL);
        """

    /// Checks that `db` may be read as a store, before any other query.
    ///
    /// - Returns: false if the file has no tables yet.
    /// - Throws: ``StoreError`` if the file is not exactly ours; `DatabaseError` if it is damaged.
    static func isMade(in db: Database, path: String) throws -> Bool {
        let tables: StoreTables
        do { tables = try StoreTables(of: db) } catch is StoreRow.Unreadable {
            throw StoreError.foreignDatabase(path: path)
        }
        guard !tables.isEmpty else { return false }
        let applicationID = try db.number("PRAGMA application_id") ?? 0
        let found = applicationID & 0xFF
        guard applicationID - found == mark else { throw StoreError.foreignDatabase(path: path) }
        guard found == version else { throw StoreError.otherVersion(path: path, found: found) }
        guard tables == StoreTables.ours else { throw StoreError.foreignTables(path: path) }
        return true
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
