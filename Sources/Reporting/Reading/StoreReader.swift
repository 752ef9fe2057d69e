public import Records

/// Reads a store, even while a gate writes to it. In a damaged store it skips what cannot be read; see ``damage``.
public struct StoreReader: Sendable {
    /// The parts that could not be read so far.
    public let damage: StoreDamage
    /// The store's name, as shown to the user.
    package var path: String { source.name }
    private let source: any StoreSource

    /// - Parameter counter: counts loads while they are read.
    /// - Throws: ``StoreError`` that names `path`.
    public init(path: String, counter: WorkCounter = WorkCounter()) throws(StoreError) {
        try self.init(path: path, isAlone: false, counter: counter)
    }

    /// The number of loads read so far; a load counts each time it is read.
    public var counter: WorkCounter { damage.counter }

    /// - Parameter isAlone: locks the file, so that no other process has it open while this reader exists.
    init(path: String, isAlone: Bool, counter: WorkCounter = WorkCounter()) throws(StoreError) {
        self.init(try SQLiteSource(path: path, isAlone: isAlone), counter: counter)
    }

    package init(_ source: any StoreSource, counter: WorkCounter = WorkCounter()) {
        self.source = source
        damage = StoreDamage(counter: counter)
    }

    /// A reader of the same store with the same connection, and with no damage noted yet.
    package func withoutDamage() -> StoreReader { StoreReader(source) }

    /// True if another process has the store at `path` open. A file that cannot be opened counts as unused. Detected by
    /// SQLite's own locks, which end with their process, so a crash leaves none (sqlite.org/lockingv3.html).
    ///
    /// Blocks for some seconds if it is in use.
    public static func isInUse(_ path: String) -> Bool {
        do throws(StoreError) {
            _ = try StoreReader(path: path, isAlone: true)
            return false
        } catch {
            if case .inUse = error { return true }
            return false
        }
    }

    /// True if loads may have been stored since the last read.
    var hasNews: Bool { source.hasNews }

    /// True if the store is a file, which can be copied.
    public var isFile: Bool { source.isFile }

    /// Reads the store in one snapshot.
    ///
    /// - Throws: what `body` throws; ``StoreError`` for problems with the store.
    package func read<Answer>(_ body: (any StoreView) throws -> Answer) throws -> Answer {
        try source.look(noting: damage, body)
    }

    /// Reads a store that is a file, in one snapshot.
    ///
    /// - Throws: what `body` throws; ``StoreError``, also if the store is not a file.
    func readFile<Answer>(_ body: (SQLiteView) throws -> Answer) throws -> Answer {
        try read { view in
            guard let view = view as? SQLiteView else { throw StoreError.notAFile(path: path) }
            return try body(view)
        }
    }

    /// The records in stored order.
    ///
    /// - Parameters:
    ///   - recording: the name of a recording; nil for all.
    ///   - verdicts: nil for all.
    public func records(recording: String? = nil, verdicts: Set<Verdict>? = nil) throws -> [StoredRecord] {
        var filter = RecordFilter(recording: recording)
        filter.verdicts = verdicts ?? []
        var records: [StoredRecord] = []
        try forEach(matching: filter) { records.append($0) }
        return records
    }

    /// Calls `body` with each record in stored order, from one snapshot of the store. Memory use stays constant.
    public func forEach(matching filter: RecordFilter, _ body: (StoredRecord) throws -> Void) throws {
        try forEachRow(matching: filter) { row, view, forms in
            try body(forms.record(row, in: view))
        }
    }

    /// Calls `body` with each row in stored order.
    func forEachRow(
        matching filter: RecordFilter, _ body: (ScannedRow, any StoreView, inout StoredForms) throws -> Void
    ) throws {
        try read { view in
            var forms = StoredForms()
            try view.forEachRow(of: view.scan(filter, isDescending: false), behind: nil) { row in
                try body(row, view, &forms)
                return true
            }
        }
    }

    /// All recordings, the most recently used one last. A name may be used again.
    public func recordings() throws -> [RecordingSummary] {
        var recordings: [String: RecordingSummary] = [:]
        for tally in try read({ try $0.tallies() }).counted {
            let name = tally.key.recording
            let known = recordings[name]
            recordings[name] = RecordingSummary(
                name: name, loads: (known?.loads ?? 0) + Int(tally.loads),
                first: min(known?.first ?? .max, tally.times.first), last: max(known?.last ?? .min, tally.times.last))
        }
        return recordings.values.sorted { ($0.last, $0.first, $0.name) < ($1.last, $1.first, $1.name) }
    }

    /// The number of loads by verdict. Verdicts that did not occur are left out.
    public func counts(recording: String? = nil) throws -> [Verdict: Int] {
        var counts: [Verdict: Int] = [:]
        for tally in try read({ try $0.tallies() }) {
            // A recording without loads has a tally of 0.
            guard tally.loads > 0, recording == nil || recording == tally.key.recording else { continue }
            if let verdict = Verdict(rawValue: tally.key.verdict) { counts[verdict, default: 0] += Int(tally.loads) }
        }
        return counts
    }
}
