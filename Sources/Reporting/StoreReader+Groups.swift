import GRDB
public import Records

extension StoreReader {
    /// Hands over what was recorded, loads that are alike together: a million of them in a second, because only one
    /// of each group is read whole. From one snapshot of the store, in the order in which the groups were first met.
    ///
    /// - Parameters:
    ///   - recording: name of a run; nil for all.
    ///   - verdicts: nil for all.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``, and what `body` throws.
    public func forEachGroup(
        recording: String? = nil, verdicts: Set<Verdict>? = nil, _ body: (RecordedGroup) throws -> Void
    ) throws {
        var filter = RecordFilter(recording: recording)
        filter.verdicts = verdicts ?? []
        try forEachGroup(matching: filter, body)
    }

    /// The same, of the loads that meet `filter`.
    public func forEachGroup(matching filter: RecordFilter, _ body: (RecordedGroup) throws -> Void) throws {
        let filter = LoadFilter(filter)
        try database.read { db in
            let groups = try GroupScan.groups(filter, in: db)
            var forms = StoredForms()
            for group in groups {
                let sql = "SELECT form, time, rule, entry FROM load WHERE seq = ?"
                guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [group.seq]) else { continue }
                let stored = try forms.record(row, in: db)
                let (id, handshake) = try forms.handshake(of: row, in: db) ?? (nil, nil)
                let first = RecordedLoad(record: try ReportedLoad(stored), handshakeID: id, handshake: handshake)
                try body(
                    RecordedGroup(
                        first: first, rule: group.rule, loads: group.loads, span: group.span.whole, urls: group.urls))
            }
        }
    }
}
