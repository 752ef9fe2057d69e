import Records

/// Follows a store while a gate writes to it: each call hands over what was filed since the last.
public final class StoreFollower {
    private let reader: StoreReader
    private let filter: RecordFilter
    /// What was looked at.
    private var mark: StoreMark
    /// The last look found all that it asked for, and there may be more.
    private var mayHaveMore = true
    private var forms = StoredForms()

    /// - Parameter fromStart: what is in the store already counts, too.
    /// - Throws: ``StoreError`` and errors of the database.
    public init(_ reader: StoreReader, matching filter: RecordFilter, fromStart: Bool) throws {
        self.reader = reader
        self.filter = filter
        mark = fromStart ? .beginning : try reader.read { try $0.mark() }
    }

    /// The next loads in the order filed; empty when there are none yet.
    ///
    /// - Parameter limit: at most so many.
    /// - Throws: ``StoreError``.
    public func next(limit: Int = 1000) throws -> [StoredRecord] {
        guard mayHaveMore || reader.hasNews else { return [] }
        return try reader.read { view in
            var records: [StoredRecord] = []
            try view.forEachRow(of: filter, filedAfter: &mark, limit: limit) { row in
                records.append(try forms.record(row, in: view))
            }
            mayHaveMore = !records.isEmpty
            return records
        }
    }
}
