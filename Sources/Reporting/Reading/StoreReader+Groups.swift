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
        try read { db in
            try forEach(GroupScan.groups(LoadFilter(filter), in: db, noting: damage), in: db, body)
        }
    }

    /// The same.
    ///
    /// - Returns: from the same look at the store, what devices did in witness mode.
    func forEachGroupAndDevice(
        matching filter: RecordFilter, _ body: (RecordedGroup) throws -> Void
    ) throws -> DeviceAgreement {
        try read { db in
            var witness = WitnessScan(noting: damage)
            let groups = try GroupScan.groups(LoadFilter(filter), in: db, noting: damage) { row in
                try witness.add(row, in: db)
            }
            try forEach(groups, in: db, body)
            return witness.agreement
        }
    }

    private func forEach(
        _ groups: [GroupScan.Group], in db: Database, _ body: (RecordedGroup) throws -> Void
    ) throws {
        var forms = StoredForms(noting: damage)
        for group in groups {
            // One of them stands for all; where it cannot be read, the next one.
            var isTold = false
            for seq in group.seqs where !isTold {
                try TableWalk.loads.forEach(from: seq, to: seq, in: db, noting: damage) { row in
                    let first = try forms.load(RowScan.Row(row), in: db)
                    try body(
                        RecordedGroup(
                            first: first, rule: group.rule, loads: group.loads, span: group.span.whole, urls: group.urls
                        ))
                    isTold = true
                    return true
                }
            }
        }
    }
}
