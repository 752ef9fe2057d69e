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
        try forEachGroup(matching: filter, .ends, body)
    }

    /// The same.
    ///
    /// - Parameter detail: what of ``RecordedGroup/span`` and ``RecordedGroup/urls`` somebody looks at.
    func forEachGroup(
        matching filter: RecordFilter, _ detail: GroupDetail, _ body: (RecordedGroup) throws -> Void
    ) throws {
        try read { view in try forEach(view.groups(of: filter, detail, witnessed: nil), in: view, body) }
    }

    /// The same.
    ///
    /// - Returns: from the same look at the store, what devices did in witness mode.
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

    /// One of them stands for all; where it cannot be read, the next one.
    private func forEach(
        _ groups: [LoadsTogether], in view: any StoreView, _ body: (RecordedGroup) throws -> Void
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
