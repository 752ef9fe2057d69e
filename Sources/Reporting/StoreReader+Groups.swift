import GRDB
public import Records

extension StoreReader {
    /// Hands over what was recorded, loads that are alike together: a million of them in a second or two, because only
    /// one of each group is read. From one snapshot of the store, in the order in which the groups were first met.
    ///
    /// - Parameters:
    ///   - recording: name of a run; nil for all.
    ///   - verdicts: nil for all.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``, and what `body` throws.
    public func forEachGroup(
        recording: String? = nil, verdicts: Set<Verdict>? = nil, _ body: (RecordedGroup) throws -> Void
    ) throws {
        let filter = LoadFilter(recording: recording, verdicts: verdicts)
        try database.read { db in
            let sql = """
                SELECT min(seq), rule, count(*), min(time) FROM load \(filter.sql) GROUP BY form, rule ORDER BY min(seq)
                """
            let groups = try Row.fetchAll(db, sql: sql, arguments: filter.arguments)
            var forms = StoredForms()
            for group in groups {
                let seq: Int64 = group[0]
                let sql = "SELECT form, time, rule, entry FROM load WHERE seq = ?"
                guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [seq]) else { continue }
                let stored = try forms.record(row, in: db)
                let (id, handshake) = try forms.handshake(of: row, in: db) ?? (nil, nil)
                let first = RecordedLoad(record: try ReportedLoad(stored), handshakeID: id, handshake: handshake)
                try body(RecordedGroup(first: first, rule: group[1], earliest: group[3], loads: group[2]))
            }
        }
    }
}
