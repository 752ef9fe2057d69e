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
