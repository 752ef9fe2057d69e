import Records

/// Loads that are alike: how many, and the latest of them.
public struct LoadsAlike: Sendable, Hashable {
    public let loads: Int
    public let last: StoredRecord
}

extension StoreReader {
    /// The loads that meet `filter`, alike ones together, in the order in which they were first met.
    ///
    /// - Throws: ``StoreError``; what can be read no more is left out.
    public func loadsAlike(matching filter: RecordFilter) throws -> [LoadsAlike] {
        try read { db in
            var forms = StoredForms(noting: damage)
            var found: [LoadsAlike] = []
            for group in try GroupScan.groups(LoadFilter(filter), in: db, noting: damage) {
                try TableWalk.loads.forEach(from: group.last, to: group.last, in: db, noting: damage) { row in
                    found.append(LoadsAlike(loads: group.loads, last: try forms.record(RowScan.Row(row), in: db)))
                    return true
                }
            }
            return found
        }
    }
}
