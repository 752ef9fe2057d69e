import ATSPolicy
import Diagnosis
import Records
import Reporting
import Text

/// The loads that the API serves: those in the store, or those in the live feed if there is no store. Blocks.
struct LoadSource: Sendable {
    let feed: LiveFeed
    let storePath: String?
    /// The store that gates share; nil if this gate shares none.
    let shared: SharedReading?
    /// The name of the current recording.
    let current: @Sendable () -> String
    /// A reader that is used instead of this gate's own store.
    private(set) var other: StoreReader?

    init(feed: LiveFeed, interface: GateInterface, limits: WebLimits) {
        self.feed = feed
        storePath = interface.storePath
        shared = interface.sharedStore.map { SharedReading(idle: limits.idleStore, $0) }
        current = { interface.state().recording }
    }

    /// A copy that reads from another store.
    func with(_ reader: StoreReader) -> LoadSource {
        var source = self
        source.other = reader
        return source
    }

    private func reader() throws -> StoreReader? { try other ?? storePath.map { try StoreReader(path: $0) } }

    private func held(_ filter: RecordFilter) -> [LoadRecord] { feed.held.filter(filter.matches) }

    /// A page of the newest loads, the newest first.
    func page(of filter: RecordFilter, before place: StorePosition?, limit: Int) throws -> StorePage {
        if let reader = try reader() { return try reader.page(of: filter, before: place, limit: limit) }
        let newest = feed.newest(limit, matches: filter.matches)
        return StorePage(records: newest.map { StoredRecord($0) }, next: nil)
    }

    /// The latest load of each set of equal loads, with the size of the set, in the order first seen.
    func equalLoads(_ filter: RecordFilter) throws -> [(row: LoadView, loads: Int)] {
        guard let reader = try reader() else { return held(filter).map { (LoadView($0), 1) } }
        return try reader.similarLoads(matching: filter).map {
            (try LoadView($0.last), $0.loads)
        }
    }

    /// A load, with the facts of its handshake if they were kept.
    ///
    /// - Throws: ``WebProblem`` with 503 if the shared store may have it but cannot be read.
    func record(id: String) throws -> (record: StoredRecord, handshake: RecordedHandshake?)? {
        if let held = feed.record(id: id) { return (StoredRecord(held), held.origin?.handshake) }
        if let own = try reader()?.record(id: id) { return own }
        switch try shared?.read(.part, { try $0.record(id: id) }) {
        case .success(let found): return found
        // A login without read access sees only this gate's own loads.
        case nil, .failure(.notAllowed): return nil
        case .failure(let error): throw WebProblem(503, "\(error)")
        }
    }

    func recordings() throws -> [RecordingSummary] {
        if let reader = try reader() { return try reader.recordings() }
        return Dictionary(grouping: feed.held, by: \.recording).map { name, records in
            let times = records.map(\.time)
            return RecordingSummary(
                name: name, loads: records.count, first: times.min() ?? 0, last: times.max() ?? 0)
        }.sorted { ($0.first, $0.name) < ($1.first, $1.name) }
    }

    /// The outcomes of each host's loads.
    func hosts(_ filter: RecordFilter) throws -> [HostOutcome] {
        if let reader = try reader() { return try reader.hosts(matching: filter) }
        struct Ending: Hashable {
            let host: String
            let rule: String?
            let verdict: Verdict
        }
        let endings = held(filter).map { record in
            Ending(
                host: record.load.target.host, rule: record.diagnosis?.findings.first?.rule.rawValue,
                verdict: record.verdict)
        }
        return Dictionary(grouping: endings, by: \.self).map { ending, loads in
            HostOutcome(host: ending.host, rule: ending.rule, verdict: ending.verdict, loads: loads.count)
        }.sorted { ($0.host, $0.rule ?? "", $0.verdict.rawValue) < ($1.host, $1.rule ?? "", $1.verdict.rawValue) }
    }

    /// Calls `body` with the loads that can be judged again, in groups of equal ones.
    func forEachEvidence(_ filter: RecordFilter, _ body: (EvidenceGroup) throws -> Void) throws {
        if let reader = try reader() {
            return try reader.forEachGroup(matching: filter) { group in
                if let evidence = EvidenceGroup(group) { try body(evidence) }
            }
        }
        for record in held(filter) { if let evidence = EvidenceGroup(record) { try body(evidence) } }
    }

    /// A report that is written while the client reads it.
    ///
    /// - Throws: ``StoreError`` if its first part cannot be made.
    func report(_ format: ReportFormat, of filter: RecordFilter, _ context: ReportContext) throws -> Export {
        if let reader = try reader() {
            let stream = try ReportStream(reader, as: format, of: filter, context)
            let first = try stream.next() ?? []
            return Export(first: first, rest: stream.isOver ? nil : stream)
        }
        var renderer = format.renderer(context)
        var text: [UInt8] = []
        for record in held(filter) { try renderer.add(record, to: &text) }
        renderer.finish(to: &text)
        return Export(first: text, rest: nil)
    }

    /// A report whose first part is ready.
    struct Export: Sendable {
        let first: [UInt8]
        /// nil if the first part is the whole report.
        let rest: ReportStream?
    }
}
