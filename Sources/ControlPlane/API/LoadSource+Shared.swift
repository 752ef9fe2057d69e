import Reporting

/// What was asked of a store that gates share, or of this gate's own where that could not be read.
struct SharedAnswer<Answer> {
    let answer: Answer
    /// Why it is of this gate alone; nil where it is not, or where nobody asked for more.
    var trouble: StoreError?
    /// Whose loads it is about, as a sentence; nil where no store is shared.
    var whose: String?

    /// For people.
    var note: String? { trouble.map { LoadSource.note($0) } }
}

extension LoadSource {
    /// Of what this gate answers by itself, see ``SharedAnswer/whose``.
    var whose: String? {
        shared.map { _ in "Loads of this gate alone, for not all of them are in the shared store yet." }
    }

    fileprivate static func note(_ trouble: StoreError) -> String { "Of this gate alone: \(trouble)" }

    /// Asks where the loads of some recordings are: in the store that gates share, where there is one and it has them. What
    /// this gate records now, and what is asked of no recording, is of this gate alone: not all of it is shipped yet.
    ///
    /// - Parameter body: called again with this gate's own loads where the shared store cannot be read.
    func asking<Answer>(
        _ recordings: [String], _ extent: SharedReading.Extent = .part, _ body: (LoadSource) throws -> Answer
    ) throws -> SharedAnswer<Answer> {
        guard let shared, !recordings.isEmpty, !recordings.contains(current()) else {
            return SharedAnswer(answer: try body(self), whose: whose)
        }
        let outcome: Result<Answer?, StoreError> = try shared.read(extent) { reader in
            let known = Set(try reader.recordings().map(\.name))
            return recordings.contains(where: known.contains) ? try body(with(reader)) : nil
        }
        switch outcome {
        case .success(let answer?):
            return SharedAnswer(answer: answer, whose: "Loads of all gates that share the store.")
        case .success(nil): return SharedAnswer(answer: try body(self), whose: whose)
        case .failure(let error):
            return SharedAnswer(answer: try body(self), trouble: error, whose: Self.note(error))
        }
    }

    /// The recordings of all gates, with those of this one that were not shipped yet, the one that was used last at the
    /// end. What this gate records now is counted as this gate has it.
    func allRecordings() throws -> SharedAnswer<[RecordingSummary]> {
        let own = try recordings()
        guard let shared else { return SharedAnswer(answer: own) }
        switch try shared.read(.part, { try $0.recordings() }) {
        case .failure(let error): return SharedAnswer(answer: own, trouble: error)
        case .success(let all):
            let current = current()
            let others = all.filter { one in one.name != current || !own.contains { $0.name == current } }
            let names = Set(others.map(\.name))
            let both = others + own.filter { !names.contains($0.name) }
            return SharedAnswer(
                answer: both.sorted { ($0.last, $0.first, $0.name) < ($1.last, $1.first, $1.name) })
        }
    }

    /// A page of loads. What follows a page is of the store that the page was of.
    ///
    /// - Throws: ``WebProblem`` with 503 where the shared store has the page before, and cannot be read.
    func sharedPage(
        of filter: RecordFilter, before place: StorePlace?, limit: Int
    ) throws -> SharedAnswer<StorePage> {
        guard place.map(\.isShared) ?? true else {
            return SharedAnswer(answer: try page(of: filter, before: place, limit: limit))
        }
        let asked = try asking(filter.recordings) { source in
            // A place of a server means nothing to a file.
            if place != nil, source.other == nil { return StorePage(records: [], next: nil) }
            return try source.page(of: filter, before: place, limit: limit)
        }
        if place != nil, let note = asked.note { throw WebProblem(503, note) }
        return asked
    }
}
