public import Records

/// Reads a store, also while a gate writes to it. Of a damaged one it reads what can be read; ``damage`` has the rest.
public struct StoreReader: Sendable {
    /// What could not be read so far.
    public let damage: StoreDamage
    /// What people call the store.
    package var path: String { source.name }
    private let source: any StoreSource

    /// - Parameter counter: counts loads as they are read.
    /// - Throws: ``StoreError`` that names `path`.
    public init(path: String, counter: WorkCounter = WorkCounter()) throws(StoreError) {
        try self.init(path: path, isAlone: false, counter: counter)
    }

    /// How many loads were read so far, each time anew.
    public var counter: WorkCounter { damage.counter }

    /// - Parameter isAlone: nobody else may have the file open, nor open it while this reader lives.
    init(path: String, isAlone: Bool, counter: WorkCounter = WorkCounter()) throws(StoreError) {
        self.init(try SQLiteSource(path: path, isAlone: isAlone), counter: counter)
    }

    package init(_ source: any StoreSource, counter: WorkCounter = WorkCounter()) {
        self.source = source
        damage = StoreDamage(counter: counter)
    }

    /// The same store by the same connection, as if it was opened now: nothing unreadable was met yet.
    package func anew() -> StoreReader { StoreReader(source) }

    /// Whether another process has the store at `path` open. What cannot be opened at all counts as unused. SQLite's own
    /// locks tell, which end with their process, so that a crash leaves none behind (sqlite.org/lockingv3.html).
    ///
    /// Blocks for some seconds where one has.
    public static func isInUse(_ path: String) -> Bool {
        do throws(StoreError) {
            _ = try StoreReader(path: path, isAlone: true)
            return false
        } catch {
            if case .inUse = error { return true }
            return false
        }
    }

    func close() throws { try (source as? SQLiteSource)?.close() }

    /// Whether something may have come since the last look.
    var hasNews: Bool { source.hasNews }

    /// Whether the store is a file that can be copied and mended.
    public var isFile: Bool { source.isFile }

    /// One look at the store.
    ///
    /// - Throws: what `body` throws; ``StoreError`` for what is wrong with the store.
    package func read<Answer>(_ body: (any StoreView) throws -> Answer) throws -> Answer {
        try source.look(noting: damage, body)
    }

    /// One look at a store that is a file.
    ///
    /// - Throws: what `body` throws; ``StoreError``, also where it is none.
    func readFile<Answer>(_ body: (SQLiteView) throws -> Answer) throws -> Answer {
        try read { view in
            guard let view = view as? SQLiteView else { throw StoreError.notAFile(path: path) }
            return try body(view)
        }
    }

    /// Rows in the order filed.
    ///
    /// - Parameters:
    ///   - recording: name of a run; nil for all.
    ///   - verdicts: nil for all.
    public func records(recording: String? = nil, verdicts: Set<Verdict>? = nil) throws -> [StoredRecord] {
        var filter = RecordFilter(recording: recording)
        filter.verdicts = verdicts ?? []
        var records: [StoredRecord] = []
        try forEach(matching: filter) { records.append($0) }
        return records
    }

    /// Hands over rows one by one, in the order filed, from one snapshot of the store; memory stays flat.
    public func forEach(matching filter: RecordFilter, _ body: (StoredRecord) throws -> Void) throws {
        try forEachRow(matching: filter) { row, view, forms in
            try body(forms.record(row, in: view))
        }
    }

    /// Hands over rows in the order filed.
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

    /// Every recording, the one that was used last at the end: a name may be used again.
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

    /// How many loads ended how. Verdicts that did not happen are left out.
    public func counts(recording: String? = nil) throws -> [Verdict: Int] {
        var counts: [Verdict: Int] = [:]
        for tally in try read({ try $0.tallies() }) {
            // A recording without loads has a tally of none.
            guard tally.loads > 0, recording == nil || recording == tally.key.recording else { continue }
            if let verdict = Verdict(rawValue: tally.key.verdict) { counts[verdict, default: 0] += Int(tally.loads) }
        }
        return counts
    }
}
