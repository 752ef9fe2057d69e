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
        try read { view in
            var forms = StoredForms()
            var found: [LoadsAlike] = []
            let groups = try view.groups(of: filter, .ends, witnessed: nil)
            try view.forEachRow(at: groups.map { [$0.last] }) { index, row in
                found.append(LoadsAlike(loads: groups[index].loads, last: try forms.record(row, in: view)))
            }
            return found
        }
    }
}
