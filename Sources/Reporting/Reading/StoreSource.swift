package import Records

/// A store that can be read, whether a file or a server.
package protocol StoreSource: Sendable {
    /// The store's name, as shown to the user.
    var name: String { get }

    /// True if it is a file, which can be copied.
    var isFile: Bool { get }

    /// True if loads may have been stored since the last read. Does not block.
    var hasNews: Bool { get }

    /// Runs `body` on one snapshot of the store.
    ///
    /// - Parameter part: the part that `body` reads. A server sends only this.
    /// - Throws: what `body` throws; ``StoreError`` for problems with the store.
    func look<Answer>(
        at part: StorePart, counter: WorkCounter, _ body: (StoreView) throws -> Answer
    ) throws -> Answer

    /// A copy of these loads for many looks; nil if each look is fast.
    func copy(of filter: RecordFilter, counter: WorkCounter) throws -> (any StoreSource)?

    /// The newest loads that match a filter, at most `limit` of them.
    func page(of filter: RecordFilter, before place: StorePosition?, limit: Int) throws -> StorePage

    /// The load with an id; nil if it does not exist.
    func record(id: String) throws -> LoadRecord?

    /// The loads stored after a mark, in stored order and at most `limit` of them; advances the mark.
    func news(of filter: RecordFilter, after mark: inout StoreMark, limit: Int) throws -> [LoadRecord]

    /// The current end of the store.
    func mark() throws -> StoreMark

    /// The number of loads by gate (machine and label) and verdict.
    ///
    /// - Throws: ``StoreError/otherKind(path:cause:)`` if the store does not distinguish gates.
    func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]]

    /// The size of the loads of each recording in bytes, without what they share.
    func sizes(of filter: RecordFilter) throws -> [String: Int64]
}

extension StoreSource {
    package func copy(of filter: RecordFilter, counter: WorkCounter) throws -> (any StoreSource)? { nil }
}

/// The part of a store that is read.
package enum StorePart: Sendable {
    /// The recordings, with their number of loads by verdict.
    case recordings
    /// The shared rows, diagnoses and tallies of the loads that match.
    case groups(RecordFilter)
    /// Also these loads.
    case loads(RecordFilter)
}
