import ATSPolicy
import GRDB
public import Records

/// A group of similar loads: how many there are, and the latest.
public struct SimilarLoads: Sendable {
    public let loads: Int
    public let last: LoadRecord
}

/// Reads a store, even while a gate writes to it. A store that is damaged is refused.
public struct StoreReader: Sendable {
    /// Counts loads while they are read; a load counts each time it is read.
    public let counter: WorkCounter
    /// The store's name, as shown to the user.
    public let path: String
    let source: any StoreSource

    /// - Parameter path: a store, or a recording that was exported as JSON lines, which is read into memory.
    /// - Throws: ``StoreError`` that names `path`.
    public init(path: String, counter: WorkCounter = WorkCounter()) throws(StoreError) {
        do throws(StoreError) {
            self.init(try FileSource(path: path, isAlone: false), counter: counter)
        } catch {
            guard case .notADatabase = error else { throw error }
            // Only then: closing another descriptor of a store that this process has open would release SQLite's locks.
            let exchanged: StoreSink?
            do { exchanged = try Self.exchanged(path) } catch { throw StoreSchema.explained(error, path: path) }
            guard let exchanged else { throw error }
            self.init(exchanged.source, named: path, counter: counter)
        }
    }

    package init(_ source: any StoreSource, named path: String? = nil, counter: WorkCounter = WorkCounter()) {
        self.source = source
        self.path = path ?? source.name
        self.counter = counter
    }

    /// True if another process has the store at `path` open. A file that cannot be opened counts as unused. Detected by
    /// SQLite's own locks, which end with their process, so a crash leaves none (sqlite.org/lockingv3.html).
    ///
    /// Blocks for some seconds if it is in use.
    public static func isInUse(_ path: String) -> Bool {
        do throws(StoreError) {
            _ = try FileSource(path: path, isAlone: true)
            return false
        } catch {
            if case .inUse = error { return true }
            return false
        }
    }

    /// Reads the store in one snapshot.
    func read<Answer>(_ part: StorePart, _ body: (StoreView) throws -> Answer) throws -> Answer {
        try source.look(at: part, counter: counter, body)
    }

    // MARK: - Loads

    /// Calls `body` with each load in stored order, from one snapshot of the store. Memory use stays constant.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    public func forEach(matching filter: RecordFilter, _ body: (LoadRow) throws -> Void) throws {
        try read(.loads(filter)) { view in
            try view.forEachRow(of: LoadQuery(filter, in: view)) { row in
                try body(row)
                return true
            }
        }
    }

    /// The records in stored order.
    ///
    /// - Parameter recording: the name of a recording; nil for all.
    public func records(recording: String? = nil, verdicts: Set<Verdict> = []) throws -> [LoadRecord] {
        var filter = RecordFilter(recording: recording)
        filter.verdicts = verdicts
        var records: [LoadRecord] = []
        try forEach(matching: filter) { records.append(try $0.record()) }
        return records
    }

    /// The newest loads that match `filter`.
    ///
    /// - Parameters:
    ///   - place: ``StorePage/next`` of the page before; nil for the first.
    ///   - limit: the number of rows on a page.
    public func page(of filter: RecordFilter, before place: StorePosition? = nil, limit: Int) throws -> StorePage {
        try source.page(of: filter, before: place, limit: limit)
    }

    /// The load with an id; nil if it does not exist. A failed search reads every row.
    public func record(id: String) throws -> LoadRecord? { try source.record(id: id) }

    // MARK: - Groups

    /// Calls `body` with groups of the loads that match `filter`, from one snapshot of the store, in order of first
    /// appearance. Takes half a second for a million loads, because only one load of each group is decoded.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    public func forEachGroup(matching filter: RecordFilter, _ body: (LoadGroup) throws -> Void) throws {
        try forEachGroup(matching: filter, .ends, body)
    }

    package func forEachGroup(
        matching filter: RecordFilter, _ detail: GroupDetail, _ body: (LoadGroup) throws -> Void
    ) throws {
        try read(.loads(filter)) { view in
            for group in try groups(filter, detail, in: view) {
                guard let row = try view.row(at: group.first) else { continue }
                try body(
                    LoadGroup(
                        row.record(), handshakeNumber: row.handshakeNumber, loads: group.loads,
                        span: group.span.whole, urls: group.urls))
            }
        }
    }

    /// The groups in order of first appearance. The tallies count them, unless the filter has conditions on single
    /// loads; rows are read only for what tallies do not have.
    private func groups(_ filter: RecordFilter, _ detail: GroupDetail, in view: StoreView) throws -> [CountedGroup] {
        guard filter.isOfGroups else { return try GroupScan(LoadQuery(filter, in: view), in: view).groups }
        guard detail == .whole else { return try CountedGroup.tallied(filter, in: view) }
        var groups = try GroupScan(LoadQuery(filter, in: view), in: view).groups
        // A store in memory has counted more loads than it keeps.
        let tallied = try CountedGroup.tallied(filter, in: view)
        let loads = Dictionary(tallied.map { ($0.key, $0.loads) }) { one, _ in one }
        for place in groups.indices { groups[place].loads = loads[groups[place].key] ?? groups[place].loads }
        return groups
    }

    /// The loads that match `filter` as groups of similar loads, in order of first appearance.
    ///
    /// - Throws: ``StoreError``.
    public func similarLoads(matching filter: RecordFilter) throws -> [SimilarLoads] {
        try read(.loads(filter)) { view in
            try groups(filter, .ends, in: view).compactMap { group in
                try view.row(at: group.last).map { SimilarLoads(loads: group.loads, last: try $0.record()) }
            }
        }
    }

    /// The report's model of the loads that match `filter`.
    func model(of filter: RecordFilter) throws -> ReportModel {
        var model = ReportModel()
        var isWitnessed = false
        var hasHellos = false
        try forEachGroup(matching: filter, .whole) { group in
            model.add(group)
            isWitnessed = isWitnessed || group.first.policy.mode == RecordingOverview.Mode.witness.rawValue
            hasHellos = hasHellos || group.first.client.hello?.answer != nil
        }
        // Each load has its own outcome on the device.
        if isWitnessed { try forEach(matching: filter) { model.agreement.add(try $0.record()) } }
        if hasHellos { model.hellos = try countedHellos(of: filter) }
        return model
    }

    /// The loads that match `filter`, in groups: the basis of all formats without an item for each load.
    ///
    /// - Throws: ``StoreError``.
    public func grouped(_ filter: RecordFilter, _ context: ReportContext) throws -> GroupedReport {
        let model = try model(of: filter)
        return GroupedReport(model: model, context: context.completed(for: model))
    }

    /// Reads each load's address, because groups do not contain connections.
    private func countedHellos(of filter: RecordFilter) throws -> HelloAgreement {
        var agreement = HelloAgreement()
        try forEach(matching: filter) { row in
            let record = row.shared.record
            guard let hello = record.client.hello else { return }
            agreement.add(hello, to: record.load.target.host, from: row.columns.client)
        }
        return agreement
    }

    /// The number of loads by host, rule and verdict, including allowed loads.
    ///
    /// - Throws: ``StoreError``.
    public func hosts(matching filter: RecordFilter) throws -> [HostOutcome] {
        struct Key: Hashable {
            let host: String
            let rule: String?
            let verdict: Verdict
        }
        var loads: [Key: Int] = [:]
        if filter.isOfGroups {
            try read(.groups(filter)) { view in
                let conditions = LoadConditions(filter, .sqlite)
                let sql = """
                    SELECT host, rule, verdict, loads FROM (SELECT * FROM tally WHERE \(conditions.sql)) AS counted
                    JOIN shared ON shared.id = counted.shared LEFT JOIN diagnosis ON diagnosis.id = counted.diagnosis
                    """
                try view.db.rows(of: view.db.makeStatement(sql: sql), conditions.arguments) { row in
                    guard let verdict = Verdict(rawValue: try row.text(2)) else { return true }
                    let key = Key(host: try row.text(0), rule: try row.textIfAny(1), verdict: verdict)
                    loads[key, default: 0] += Int(try row.count(3))
                    return true
                }
            }
        } else {
            try forEachGroup(matching: filter) { group in
                let record = group.first
                let key = Key(host: record.load.target.host, rule: record.rule?.rawValue, verdict: record.verdict)
                loads[key, default: 0] += group.loads
            }
        }
        return loads.map { HostOutcome(host: $0.host, rule: $0.rule, verdict: $0.verdict, loads: $1) }
            .sorted { ($0.host, $0.rule ?? "", $0.verdict.rawValue) < ($1.host, $1.rule ?? "", $1.verdict.rawValue) }
    }

    /// The hosts of recordings, without duplicates.
    ///
    /// - Parameter recordings: empty for all.
    public func hostNames(of recordings: [String]) throws -> Set<String> {
        var filter = RecordFilter()
        filter.recordings = recordings
        return Set(try hosts(matching: filter).map(\.host))
    }
}

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
        mark = fromStart ? .beginning : try reader.source.mark()
    }

    /// The next loads in stored order; empty if there are none yet.
    ///
    /// - Parameter limit: the highest number of loads.
    /// - Throws: ``StoreError``.
    public func next(limit: Int = 1000) throws -> [LoadRecord] {
        guard mayHaveMore || reader.source.hasNews else { return [] }
        let records = try reader.source.news(of: filter, after: &mark, limit: limit)
        mayHaveMore = !records.isEmpty
        return records
    }
}

/// How much is needed of groups.
package enum GroupDetail: Sendable {
    /// Their number of loads, and when the first and the last began.
    case ends
    /// Also the number of URLs, and of loads in each slice of time.
    case whole
}

/// A group while it is counted.
struct CountedGroup {
    struct Key: Hashable {
        let shared: Int64
        let diagnosis: Int64
    }

    let key: Key
    /// The numbers of its first and its last row.
    let first: Int64
    fileprivate(set) var last: Int64
    var loads = 0
    fileprivate(set) var span: RunningSpan
    fileprivate(set) var urls = URLTally()

    /// The groups as the tallies of a store have them, in order of first appearance.
    static func tallied(_ filter: RecordFilter, in view: StoreView) throws -> [CountedGroup] {
        var groups: [CountedGroup] = []
        let conditions = LoadConditions(filter, .sqlite)
        let sql = """
            SELECT shared, diagnosis, first_seq, last_seq, loads, first_time, last_time FROM tally
            WHERE \(conditions.sql) ORDER BY first_seq
            """
        try view.db.rows(of: view.db.makeStatement(sql: sql), conditions.arguments) { row in
            var span = RunningSpan(try row.time(5))
            span.add(try row.time(6))
            groups.append(
                CountedGroup(
                    key: Key(shared: try row.number(0), diagnosis: try row.number(1)), first: try row.number(2),
                    last: try row.number(3), loads: Int(try row.count(4)), span: span))
            return true
        }
        return groups
    }
}

/// Counts loads by shared row and diagnosis in one pass over the rows. Memory grows with the number of groups only, and
/// the work for each row costs less than SQLite's step to the next.
struct GroupScan {
    /// In order of first appearance.
    private(set) var groups: [CountedGroup] = []
    private var places: [CountedGroup.Key: Int] = [:]
    /// The group of the row before: most rows are of the same.
    private var latest: (key: CountedGroup.Key, place: Int)?

    init(_ query: LoadQuery, in view: StoreView) throws {
        guard query.filter.search.isEmpty, query.filter.devices.isEmpty else {
            try view.forEachRow(of: query) { load in
                let key = CountedGroup.Key(shared: load.columns.shared, diagnosis: load.columns.diagnosis)
                groups[place(key, load.place.number, load.time)].urls.add(load.columns.path)
                return true
            }
            return
        }
        try view.forEach("seq, shared, diagnosis, time, path", of: query) { row in
            let key = CountedGroup.Key(shared: try row.number(1), diagnosis: try row.number(2))
            let place = place(key, try row.number(0), try row.time(3))
            if !groups[place].urls.isFull { groups[place].urls.add(try row.bytes(4)[...]) }
            return true
        }
    }

    /// Counts a load, and returns the index of its group.
    private mutating func place(_ key: CountedGroup.Key, _ number: Int64, _ time: Int64) -> Int {
        let place: Int
        if let latest, latest.key == key {
            place = latest.place
        } else {
            place = places[key] ?? groups.count
            if place == groups.count {
                places[key] = place
                groups.append(CountedGroup(key: key, first: number, last: number, span: RunningSpan(time)))
            }
            latest = (key, place)
        }
        groups[place].loads += 1
        groups[place].last = number
        groups[place].span.add(time)
        return place
    }
}

/// A ``LoadSpan`` for loads that mostly began in order: counts the loads of the current slice before it adds them.
struct RunningSpan {
    private var span: LoadSpan
    /// The loads that `span` lacks; all within one slice.
    private var early: Int64
    private var late: Int64
    private var loads = 0
    /// When that slice begins and ends.
    private var begin: Int64 = 0
    private var end: Int64 = 0

    /// A span at `time` without loads: ``add(_:)`` counts them.
    init(_ time: Int64) {
        span = LoadSpan(time)
        (early, late) = (time, time)
    }

    mutating func add(_ time: Int64) {
        if time < begin || time >= end {
            settle()
            let place = LoadSpan.place(of: time, span.slice)
            begin = place.clampedTimes(span.slice)
            end = (place + 1).clampedTimes(span.slice)
            (early, late) = (time, time)
        }
        loads += 1
        early = min(early, time)
        late = max(late, time)
    }

    /// The span with all loads that were added.
    var whole: LoadSpan {
        var span = self
        span.settle()
        return span.span
    }

    private mutating func settle() {
        guard loads > 0 else { return }
        span.add(loads, between: early, and: late)
        loads = 0
    }
}

extension Int64 {
    /// The product, clamped to the range of numbers.
    fileprivate func clampedTimes(_ other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        guard isBeyond else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}
