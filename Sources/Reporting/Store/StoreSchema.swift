import GRDB

/// The tables of a store. A change of them is a new ``version``: a store of another version is rejected.
enum StoreSchema {
    /// `ATS`: marks a file as an atsgate store, with ``version`` in the last byte
    /// (sqlite.org/pragma.html#pragma_application_id).
    private static let mark: Int64 = 0x4154_5300
    /// The version of the tables, 1 to 255.
    static let version: Int64 = 2

    /// Makes the tables of a new file, in the open transaction.
    static func make(in db: Database) throws {
        try db.execute(sql: tables)
        try db.execute(sql: "PRAGMA application_id = \(mark | version)")
    }

    /// `load` has a row for each load. What thousands of loads share is in one row of `shared` (client without its
    /// address, target, dictionary, verdict), and one of `diagnosis` (findings, the device's error, fixes; without URL
    /// and task, see `DiagnosisMarks.swift`). Their texts are JSON with the keys of docs/record.md. `handshake` has the
    /// facts by which a load is judged again. The rows of these three tables are found by a digest of their text.
    ///
    /// `recording` has the recordings, with when they began; `tally` counts the loads of each pair of shared row and
    /// diagnosis, written once per batch. A load without a diagnosis has 0. Times are in milliseconds since 1970-01-01 UTC,
    /// spans in microseconds. `more` is the JSON of fields that few loads have.
    ///
    /// `meta` has one row: the state of the store. `spool` identifies the store, also after the file was renamed. `high` is the
    /// highest number of a deleted load. `shipped` is the last load that was shipped to a shared store, or NULL, and
    /// `dropped` counts the loads that were deleted before they were shipped. `waits` is true if loads stay in the store
    /// until they are shipped. The table `shipped` has the last load that was shipped in each of the last hours, counted
    /// from 1970-01-01 UTC.
    private static let tables = """
        CREATE TABLE recording (name TEXT PRIMARY KEY NOT NULL, begun INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE handshake (id INTEGER PRIMARY KEY, digest INTEGER NOT NULL, text TEXT NOT NULL);
        CREATE INDEX handshake_by_digest ON handshake (digest);
        CREATE TABLE shared (
            id INTEGER PRIMARY KEY,
            digest INTEGER NOT NULL,
            recording TEXT NOT NULL,
            host TEXT NOT NULL,
            verdict TEXT NOT NULL,
            os TEXT NOT NULL,
            label TEXT,
            entrance TEXT NOT NULL,
            policy TEXT,
            bundle TEXT,
            mode TEXT,
            handshake INTEGER,
            text TEXT NOT NULL
        );
        CREATE INDEX shared_by_digest ON shared (digest);
        CREATE TABLE diagnosis (
            id INTEGER PRIMARY KEY,
            digest INTEGER NOT NULL,
            rule TEXT,
            text TEXT NOT NULL
        );
        CREATE INDEX diagnosis_by_digest ON diagnosis (digest);
        CREATE TABLE load (
            seq INTEGER PRIMARY KEY,
            shared INTEGER NOT NULL,
            diagnosis INTEGER NOT NULL,
            time INTEGER NOT NULL,
            path TEXT NOT NULL,
            id BLOB NOT NULL,
            client TEXT NOT NULL,
            method TEXT NOT NULL,
            status INTEGER,
            sent INTEGER NOT NULL,
            received INTEGER NOT NULL,
            connect INTEGER,
            handshake INTEGER,
            first_byte INTEGER,
            total INTEGER NOT NULL,
            task BLOB,
            task_number INTEGER,
            more TEXT
        );
        CREATE TABLE tally (
            shared INTEGER NOT NULL,
            diagnosis INTEGER NOT NULL,
            loads INTEGER NOT NULL,
            first_time INTEGER NOT NULL,
            last_time INTEGER NOT NULL,
            first_seq INTEGER NOT NULL,
            last_seq INTEGER NOT NULL,
            PRIMARY KEY (shared, diagnosis)
        ) WITHOUT ROWID;
        CREATE TABLE meta (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            spool TEXT NOT NULL,
            high INTEGER NOT NULL,
            shipped INTEGER,
            dropped INTEGER NOT NULL,
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
        let found = try entries(of: db)
        guard !found.isEmpty else { return false }
        let applicationID = try db.number("PRAGMA application_id") ?? 0
        let version = applicationID & 0xFF
        guard applicationID - version == mark else { throw StoreError.foreignDatabase(path: path) }
        guard version == self.version else { throw StoreError.otherVersion(path: path, found: version) }
        guard found == ours else { throw StoreError.foreignTables(path: path) }
        return true
    }

    /// The statements of the tables that a file has. A file with any other table, a view or a trigger was not made by
    /// atsgate, and is not queried.
    private static func entries(of db: Database) throws -> Set<String> {
        var entries: Set<String> = []
        try db.forEachRow("SELECT type, name, sql FROM sqlite_master") { row in
            let sql = row.isNull(2) ? "" : (try? row.text(2)) ?? "?"
            entries.insert("\((try? row.text(0)) ?? "?") \((try? row.text(1)) ?? "?") \(sql)")
            return entries.count <= mostEntries
        }
        return entries
    }

    /// The tables that atsgate makes; empty if SQLite cannot make them in memory.
    private static let ours: Set<String> = {
        let made = try? DatabaseQueue().write { db in
            try make(in: db)
            return try entries(of: db)
        }
        return made ?? []
    }()

    /// Translates an SQLite error into one that names the file.
    static func explained(_ error: any Error, path: String) -> StoreError {
        if let error = error as? StoreError { return error }
        if let error = error as? StoreRow.Unreadable { return .damaged(path: path, cause: "\(error)") }
        guard let error = error as? DatabaseError else { return .cannotOpen(path: path, cause: "\(error)") }
        if error.resultCode == .SQLITE_NOTADB { return .notADatabase(path: path) }
        if error.isDamage { return .damaged(path: path, cause: error.words) }
        if error.resultCode.primaryResultCode == .SQLITE_BUSY { return .inUse(path: path) }
        let isFull = error.resultCode.primaryResultCode == .SQLITE_FULL
        return .cannotOpen(path: path, cause: StoreFile.obstacle(at: path, isFull: isFull) ?? error.words)
    }
}

extension DatabaseError {
    /// True if the file is damaged: its pages contradict each other, or a value is too long.
    var isDamage: Bool {
        switch resultCode.primaryResultCode {
        case .SQLITE_CORRUPT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: true
        // A sum of counts that no store reaches (sqlite.org/lang_aggfunc.html#sumunc).
        case .SQLITE_ERROR: message == "integer overflow"
        default: false
        }
    }

    /// SQLite's message, without the statement and its values.
    var words: String { message ?? "\(resultCode)" }
}

/// More entries than a store has. Reading stops there.
private let mostEntries = 100
