public import Records

/// Follows a store while a gate writes to it: each call returns the loads stored since the last.
public final class StoreFollower {
    private let reader: StoreReader
    private let filter: RecordFilter
    /// The end of what was read.
    private var mark: StoreMark
    /// True if the last read returned loads, so there may be more.
    private var mayHaveMore = true

    /// - Parameter fromStart: true to begin with the loads that are in the store already.
    /// - Throws: ``StoreError`` and errors of the database.
    public init(_ reader: StoreReader, matching filter: RecordFilter, fromStart: Bool) throws {
        self.reader = reader
        self.filter = filter
        mark = fromStart ? .beginning : try reader.mark()
    }

    /// The next loads in stored order; empty if there are none yet.
    ///
    /// - Parameter limit: the highest number of loads.
    /// - Throws: ``StoreError``.
    public func next(limit: Int = 1000) throws -> [LoadRecord] {
        guard mayHaveMore || reader.hasNews else { return [] }
        let records = try reader.news(of: filter, after: &mark, limit: limit)
        mayHaveMore = !records.isEmpty
        return records
    }
}
