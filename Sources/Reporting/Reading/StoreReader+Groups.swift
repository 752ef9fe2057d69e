public import Records

extension StoreReader {
    /// Calls `body` with groups of similar loads, from one snapshot of the store, in order of first appearance. Takes a
    /// second for a million loads, because only one load of each group is decoded.
    ///
    /// - Parameters:
    ///   - recording: the name of a recording; nil for all.
    ///   - verdicts: nil for all.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``, and what `body` throws.
    public func forEachGroup(
        recording: String? = nil, verdicts: Set<Verdict>? = nil, _ body: (RecordedGroup) throws -> Void
    ) throws {
        var filter = RecordFilter(recording: recording)
        filter.verdicts = verdicts ?? []
        try forEachGroup(matching: filter, body)
    }

    /// Calls `body` with groups of the loads that match `filter`.
    public func forEachGroup(matching filter: RecordFilter, _ body: (RecordedGroup) throws -> Void) throws {
        try forEachGroup(matching: filter, .ends, body)
    }

    /// Calls `body` with groups of the loads that match `filter`.
    ///
    /// - Parameter detail: how much of ``RecordedGroup/span`` and ``RecordedGroup/urls`` the caller needs.
    func forEachGroup(
        matching filter: RecordFilter, _ detail: GroupDetail, _ body: (RecordedGroup) throws -> Void
    ) throws {
        try read { view in try forEach(view.groups(of: filter, detail, witnessed: nil), in: view, body) }
    }

    /// Calls `body` with groups of the loads that match `filter`.
    ///
    /// - Returns: the outcomes on devices in witness mode, from the same snapshot.
    func forEachGroupAndDevice(
        matching filter: RecordFilter, _ detail: GroupDetail, _ body: (RecordedGroup) throws -> Void
    ) throws -> DeviceAgreement {
        try read { view in
            var witness = WitnessScan()
            let groups = try view.groups(of: filter, detail) { try witness.add($0, in: view) }
            try forEach(groups, in: view, body)
            return witness.agreement
        }
    }

    /// Decodes one load of each group; if it cannot be read, the next one.
    private func forEach(
        _ groups: [LoadBatch], in view: any StoreView, _ body: (RecordedGroup) throws -> Void
    ) throws {
        var forms = StoredForms()
        try view.forEachRow(at: groups.map(\.places)) { index, row in
            let group = groups[index]
            try body(
                RecordedGroup(
                    first: try forms.load(row, in: view), rule: group.rule, loads: group.loads, span: group.span,
                    urls: group.urls))
        }
    }
}
