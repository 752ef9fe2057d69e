import Bytes
import GRDB
import Records

/// Moves the rows of the first two versions, each a load's whole JSON line, into forms and entries. This happens within
/// the migration's transaction: if the gate crashes, the store is unchanged.
struct OldLoads {
    private let db: Database
    private var parts = RecordParts()
    private var forms = WeighedCache<Form, Int64>(.rows, limit: 16 << 20, count: formLimit)

    /// The values that make a form unique.
    private struct Form: Hashable {
        let recording: String
        let host: String
        let verdict: String
        let os: String
        let text: [UInt8]
    }

    static func move(in db: Database) throws {
        var loads = OldLoads(db: db)
        try db.forEachRow(
            "SELECT seq, recording, host, verdict, os, time, rule, id, record FROM old_load ORDER BY seq"
        ) { row in
            try loads.move(row)
            return true
        }
        try db.execute(
            sql: """
                INSERT INTO tally
                SELECT recording, verdict, count(*), min(time), max(time), min(seq), max(seq)
                FROM old_load GROUP BY recording, verdict;
                """)
    }

    private init(db: Database) {
        self.db = db
    }

    private mutating func move(_ row: StoreRow) throws {
        guard parts.take(try row.bytes(8)) else {
            throw StoreError.unreadableRecord(id: try row.text(7), cause: "it is not a record")
        }
        let form = Form(
            recording: try row.text(1), host: try row.text(2), verdict: try row.text(3), os: try row.text(4),
            text: parts.form)
        try db.cachedStatement(sql: "INSERT INTO load (seq, form, time, rule, entry) VALUES (?, ?, ?, ?, ?)").execute(
            arguments: [
                try row.number(0), number(of: form), try row.time(5), try row.textIfAny(6),
                String(decoding: parts.entry, as: UTF8.self),
            ])
    }

    private mutating func number(of form: Form) throws -> Int64 {
        if let known = forms.value(for: form) { return known }
        try db.cachedStatement(sql: "INSERT INTO form (recording, host, verdict, os, text) VALUES (?, ?, ?, ?, ?)")
            .execute(arguments: [
                form.recording, form.host, form.verdict, form.os, String(decoding: form.text, as: UTF8.self),
            ])
        forms.keep(db.lastInsertedRowID, for: form, bytes: form.text.count + form.host.utf8.count + 128)
        return db.lastInsertedRowID
    }
}

private let formLimit = 8192
