import GRDB
import Records

/// Moves the rows of the first two versions, which held the whole line of each load, into forms and entries. All within
/// the migration's transaction: a gate that dies in the middle leaves the store as it was.
struct OldLoads {
    private let db: Database
    private var parts = RecordParts()
    private var forms: [Form: Int64] = [:]

    /// What tells forms apart.
    private struct Form: Hashable {
        let recording: String
        let host: String
        let verdict: String
        let os: String
        let text: [UInt8]
    }

    static func move(in db: Database) throws {
        var loads = OldLoads(db: db)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT seq, recording, host, verdict, os, time, rule, id, record FROM old_load ORDER BY seq")
        while let row = try rows.next() { try loads.move(row) }
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

    private mutating func move(_ row: Row) throws {
        var line: String = row[8]
        guard line.withUTF8({ parts.take($0) }) else {
            throw StoreError.unreadableRecord(id: row[7], cause: "it is no record")
        }
        let form = Form(recording: row[1], host: row[2], verdict: row[3], os: row[4], text: parts.form)
        try db.cachedStatement(sql: "INSERT INTO load (seq, form, time, rule, entry) VALUES (?, ?, ?, ?, ?)").execute(
            arguments: [
                row[0] as Int64, number(of: form), row[5] as Int64, row[6] as String?,
                String(decoding: parts.entry, as: UTF8.self),
            ])
    }

    private mutating func number(of form: Form) throws -> Int64 {
        if let known = forms[form] { return known }
        if forms.count >= formLimit { forms.removeAll(keepingCapacity: true) }
        try db.cachedStatement(sql: "INSERT INTO form (recording, host, verdict, os, text) VALUES (?, ?, ?, ?, ?)")
            .execute(arguments: [
                form.recording, form.host, form.verdict, form.os, String(decoding: form.text, as: UTF8.self),
            ])
        forms[form] = db.lastInsertedRowID
        return db.lastInsertedRowID
    }
}

private let formLimit = 4096
