import ATSPolicy
import Diagnosis
import Records
import Reporting
import Text

/// The loads that the API serves: those in this gate's store, or in the one that it shares. Blocks.
struct LoadSource: Sendable {
    let feed: LiveFeed
    /// nil if this gate keeps its loads in memory only.
    let storePath: String?
    /// The store that gates share; nil if this gate shares none.
    let shared: SharedReading?
    /// The name of the current recording.
    let current: @Sendable () -> String
    /// A reader that is used instead of this gate's own store.
    private(set) var other: StoreReader?
    private let own: @Sendable () throws -> StoreReader

    init(feed: LiveFeed, interface: GateInterface, limits: WebLimits) {
        self.feed = feed
        storePath = interface.storePath
        own = interface.reader
        shared = interface.sharedStore.map { SharedReading(idle: limits.idleStore, $0) }
        current = { interface.state().recording }
    }

    /// A copy that reads from another store.
    func with(_ reader: StoreReader) -> LoadSource {
        var source = self
        source.other = reader
        return source
    }

    func reader() throws -> StoreReader { try other ?? own() }

    /// A load.
    ///
    /// - Throws: ``WebProblem`` with 503 if the shared store may have it but cannot be read.
    func record(id: String) throws -> LoadRecord? {
        if let held = feed.record(id: id) { return held }
        if let own = try reader().record(id: id) { return own }
        switch try shared?.read(.part, { try $0.record(id: id) }) {
        case .success(let found): return found
        // A login without read access sees only this gate's own loads.
        case nil, .failure(.notAllowed): return nil
        case .failure(let error): throw WebProblem(503, "\(error)")
        }
    }

    /// A report that is written while the client reads it.
    ///
    /// - Throws: ``StoreError`` if its first part cannot be made.
    func report(_ format: ReportFormat, of filter: RecordFilter, _ context: ReportContext) throws -> Export {
        let stream = try ReportStream(reader(), as: format, of: filter, context)
        let first = try stream.next() ?? []
        return Export(first: first, rest: stream.isOver ? nil : stream)
    }

    /// A report whose first part is ready.
    struct Export: Sendable {
        let first: [UInt8]
        /// nil if the first part is the whole report.
        let rest: ReportStream?
    }
}

/// An answer from the store that gates share, or from this gate's own store if the shared one could not be read.
struct SharedAnswer<Answer> {
    let answer: Answer
    /// The reason why the answer covers this gate only; nil if the shared store answered or was not needed.
    var trouble: StoreError?
    /// A sentence that names the gates whose loads are covered; nil if no store is shared.
    var scopeNote: String?

    /// The problem as a sentence for the user.
    var note: String? { trouble.map { LoadSource.note($0) } }
}

extension LoadSource {
    /// ``SharedAnswer/scopeNote`` for answers from this gate's own loads.
    var scopeNote: String? {
        shared.map { _ in "This gate's loads only: some are not in the shared store yet." }
    }

    fileprivate static func note(_ trouble: StoreError) -> String { "This gate's loads only: \(trouble)" }

    /// Runs `body` on the store that has the recordings: the shared store if there is one and it has them. The current
    /// recording, and questions without a recording, are answered from this gate's own loads, because not all of them
    /// are shipped yet.
    ///
    /// - Parameter body: called again with this gate's own loads if the shared store cannot be read.
    func asking<Answer>(
        _ recordings: [String], _ extent: SharedReading.Extent = .part, _ body: (LoadSource) throws -> Answer
    ) throws -> SharedAnswer<Answer> {
        guard let shared, !recordings.isEmpty, !recordings.contains(current()) else {
            return SharedAnswer(answer: try body(self), scopeNote: scopeNote)
        }
        let outcome: Result<Answer?, StoreError> = try shared.read(extent) { reader in
            let known = Set(try reader.recordings().map(\.name))
            return recordings.contains(where: known.contains) ? try body(with(reader)) : nil
        }
        switch outcome {
        case .success(let answer?):
            return SharedAnswer(answer: answer, scopeNote: "Loads of all gates that share the store.")
        case .success(nil): return SharedAnswer(answer: try body(self), scopeNote: scopeNote)
        case .failure(let error):
            return SharedAnswer(answer: try body(self), trouble: error, scopeNote: Self.note(error))
        }
    }

    /// The recordings of all gates and those of this gate that are not shipped yet, the latest last. The current
    /// recording has this gate's own counts.
    func allRecordings() throws -> SharedAnswer<[RecordingSummary]> {
        let own = try reader().recordings()
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

    /// A page of loads. Later pages come from the same store as the first.
    ///
    /// - Throws: ``WebProblem`` with 503 if an earlier page came from the shared store, which cannot be read now.
    func sharedPage(
        of filter: RecordFilter, before place: StorePosition?, limit: Int
    ) throws -> SharedAnswer<StorePage> {
        guard place.map(\.isShared) ?? true else {
            return SharedAnswer(answer: try reader().page(of: filter, before: place, limit: limit))
        }
        let asked = try asking(filter.recordings) { source in
            // A place in a server's store is not valid in a file.
            if place != nil, source.other == nil { return StorePage(records: [], next: nil) }
            return try source.reader().page(of: filter, before: place, limit: limit)
        }
        if place != nil, let note = asked.note { throw WebProblem(503, note) }
        return asked
    }
}
