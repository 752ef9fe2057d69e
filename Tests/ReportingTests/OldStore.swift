import GRDB
import Records
import Reporting

/// Stores as the second version wrote them: without forms, with the complete line of each load.
enum OldStore {
    static func make(at path: String, rows: some Sequence<StoredRecord>) throws {
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        }
        try database.write { db in
            try db.execute(
                sql: """
                    PRAGMA application_id = \(0x4154_5347);
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('1 loads'), ('2 recordings');
                    CREATE TABLE load (
                        seq INTEGER PRIMARY KEY, id TEXT NOT NULL, recording TEXT NOT NULL, time INTEGER NOT NULL,
                        host TEXT NOT NULL, verdict TEXT NOT NULL, rule TEXT, os TEXT NOT NULL, record TEXT NOT NULL
                    );
                    CREATE INDEX load_by_recording ON load (recording, verdict, time);
                    """)
            let insert = try db.makeStatement(sql: "INSERT INTO load VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)")
            for row in rows {
                try insert.execute(arguments: [
                    row.id, row.recording, row.time, row.host, row.verdict.rawValue, row.rule, row.os, row.json,
                ])
            }
        }
        try database.close()
    }
}
