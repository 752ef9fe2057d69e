import Foundation
import GRDB
public import Records

/// Reads a store, also while a gate writes to it. Of a damaged one it reads what can be read; ``damage`` has the rest.
public struct StoreReader: Sendable {
    /// What could not be read so far.
    public let damage: StoreDamage
    let path: String
    private let database: DatabaseQueue
    private let budget = StepBudget()

    /// - Parameter counter: counts loads as they are read.
    /// - Throws: ``StoreError`` that names `path`.
    public init(path: String, counter: WorkCounter = WorkCounter()) throws(StoreError) {
        try self.init(path: path, isAlone: false, counter: counter)
    }

    /// How many loads were read so far, each time anew.
    public var counter: WorkCounter { damage.counter }

    /// - Parameter isAlone: nobody else may have the file open, nor open it while this reader lives.
    init(path: String, isAlone: Bool, counter: WorkCounter = WorkCounter()) throws(StoreError) {
        self.path = path
        damage = StoreDamage(counter: counter)
        do {
            guard try StoreFile.isThere(path) else { throw StoreError.missing(path: path) }
            var configuration = StoreSchema.configuration(budget)
            // Before anything is read, a log is then nobody else's (sqlite.org/pragma.html#pragma_locking_mode).
            if isAlone { configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") } }
            configuration.readonly = !isAlone
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.read { db in
                switch try StoreSchema.check(db, path: path) {
                // A file that no gate has written to yet, or one that died before its first migration.
                case .empty: throw StoreError.foreignDatabase(path: path)
                case .older: throw StoreError.olderVersion(path: path)
                case .current: break
                }
            }
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }

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

    func close() throws { try database.close() }

    /// One look at the store, with as many steps as its size allows.
    ///
    /// - Throws: what `body` throws; ``StoreError`` for an error of the database.
    func read<Answer>(_ body: (Database) throws -> Answer) throws -> Answer {
        budget.begin(bytes: StoreFile.size(path))
        do {
            return try database.read(body)
        } catch let error where error is DatabaseError || error is StoreRow.Unreadable {
            throw StoreSchema.explained(error, path: path)
        }
    }

    /// Rows in the order filed.
    ///
    /// - Parameters:
    ///   - recording: name of a run; nil for all.
    ///   - verdicts: nil for all.
    public func records(recording: String? = nil, verdicts: Set<Verdict>? = nil) throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        try forEach(recording: recording, verdicts: verdicts) { records.append($0) }
        return records
    }

    /// Hands over rows one by one, in the order filed, from one snapshot of the store; memory stays flat.
    public func forEach(
        recording: String? = nil, verdicts: Set<Verdict>? = nil, _ body: (StoredRecord) throws -> Void
    ) throws {
        var filter = RecordFilter(recording: recording)
        filter.verdicts = verdicts ?? []
        try forEach(matching: filter, body)
    }

    /// The same, of the rows that meet `filter`.
    public func forEach(matching filter: RecordFilter, _ body: (StoredRecord) throws -> Void) throws {
        try forEachRow(matching: filter) { row, db, forms in
            try body(forms.record(row, in: db))
        }
    }

    /// Hands over rows in the order filed.
    func forEachRow(
        matching filter: RecordFilter, _ body: (RowScan.Row, Database, inout StoredForms) throws -> Void
    ) throws {
        try read { db in
            var forms = StoredForms(noting: damage)
            try RowScan(LoadFilter(filter), in: db, noting: damage).forEach(in: db) { row in
                try body(row, db, &forms)
                return true
            }
        }
    }

    /// Every recording, the one that was used last at the end: a name may be used again.
    public func recordings() throws -> [RecordingSummary] {
        var recordings: [String: RecordingSummary] = [:]
        for tally in try read({ try StoreTally.all(in: $0, noting: damage) }) {
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
        for tally in try read({ try StoreTally.all(in: $0, noting: damage) }) {
            // A recording without loads has a tally of none.
            guard tally.loads > 0, recording == nil || recording == tally.key.recording else { continue }
            if let verdict = Verdict(rawValue: tally.key.verdict) { counts[verdict, default: 0] += Int(tally.loads) }
        }
        return counts
    }
}
