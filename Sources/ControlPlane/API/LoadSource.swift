import ATSPolicy
import Diagnosis
import Records
import Reporting
import Text

/// The loads that the API tells of: those of the store, and without one those that the feed still holds. Blocks.
struct LoadSource: Sendable {
    let feed: LiveFeed
    let storePath: String?
    /// What gates share; nil where this one keeps its loads for itself.
    let shared: SharedReading?
    /// Which recording loads are filed under now.
    let current: @Sendable () -> String
    /// Read in the place of this gate's own store.
    private(set) var other: StoreReader?

    init(feed: LiveFeed, interface: GateInterface, limits: WebLimits) {
        self.feed = feed
        storePath = interface.storePath
        shared = interface.sharedStore.map { SharedReading(idle: limits.idleStore, $0) }
        current = { interface.state().recording }
    }

    /// The same of another store.
    func with(_ reader: StoreReader) -> LoadSource {
        var source = self
        source.other = reader
        return source
    }

    private func reader() throws -> StoreReader? { try other ?? storePath.map { try StoreReader(path: $0) } }

    private func held(_ filter: RecordFilter) -> [LoadRecord] { feed.held.filter(filter.matches) }

    /// The newest, the newest first.
    func page(of filter: RecordFilter, before place: StorePlace?, limit: Int) throws -> StorePage {
        if let reader = try reader() { return try reader.page(of: filter, before: place, limit: limit) }
        let newest = feed.newest(limit, matches: filter.matches)
        return StorePage(records: newest.map { StoredRecord($0) }, next: nil)
    }

    /// The latest of loads that are alike, with how many they are; at least one, in the order first met.
    func alike(_ filter: RecordFilter) throws -> [(row: LoadView, loads: Int)] {
        guard let reader = try reader() else { return held(filter).map { (LoadView($0), 1) } }
        return try reader.loadsAlike(matching: filter).map {
            (try LoadView($0.last), $0.loads)
        }
    }

    /// A load, with what its handshake showed where somebody kept it.
    ///
    /// - Throws: ``WebProblem`` with 503 where the shared store may have it, and cannot be read.
    func record(id: String) throws -> (record: StoredRecord, handshake: RecordedHandshake?)? {
        if let held = feed.record(id: id) { return (StoredRecord(held), held.origin?.handshake) }
        if let own = try reader()?.record(id: id) { return own }
        switch try shared?.read(.part, { try $0.record(id: id) }) {
        case .success(let found): return found
        // A login that may never read was shown this gate's own loads alone.
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

    /// How the loads of each host ended.
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

    /// Hands over loads that can be judged again, alike ones together.
    func forEachEvidence(_ filter: RecordFilter, _ body: (EvidenceGroup) throws -> Void) throws {
        if let reader = try reader() {
            return try reader.forEachGroup(matching: filter) { group in
                if let evidence = EvidenceGroup(group) { try body(evidence) }
            }
        }
        for record in held(filter) { if let evidence = EvidenceGroup(record) { try body(evidence) } }
    }

    /// A report, made while it is taken.
    ///
    /// - Throws: ``StoreError``, for what its beginning shows.
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

    /// A report of which the beginning is there.
    struct Export: Sendable {
        let first: [UInt8]
        /// nil where that is all.
        let rest: ReportStream?
    }
}
