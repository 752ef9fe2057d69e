import Records

/// A group of similar loads: how many there are, and the latest.
public struct SimilarLoads: Sendable, Hashable {
    public let loads: Int
    public let last: StoredRecord
}

extension StoreReader {
    /// The loads that match `filter` as groups of similar loads, in order of first appearance.
    ///
    /// - Throws: ``StoreError``; loads that cannot be read are left out.
    public func similarLoads(matching filter: RecordFilter) throws -> [SimilarLoads] {
        try read { view in
            var forms = StoredForms()
            var found: [SimilarLoads] = []
            let groups = try view.groups(of: filter, .ends, witnessed: nil)
            try view.forEachRow(at: groups.map { [$0.last] }) { index, row in
                found.append(SimilarLoads(loads: groups[index].loads, last: try forms.record(row, in: view)))
            }
            return found
        }
    }
}
