import GRDB
public import Records

/// A store that can be read, whether a file or a server.
package protocol StoreSource: Sendable {
    /// The store's name, as shown to the user.
    var name: String { get }

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

/// Some rows of a store, the newest first.
public struct StorePage: Sendable {
    public let records: [LoadRecord]
    /// The position from which to read the older rows; nil if there are none.
    public let next: StorePosition?

    public init(records: [LoadRecord], next: StorePosition?) {
        self.records = records
        self.next = next
    }
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

/// A store that is a file, or in memory.
final class FileSource: StoreSource {
    let name: String
    private let database: StoreConnection

    /// Always true: a check would take as long as the read itself.
    var hasNews: Bool { true }

    /// - Parameter isAlone: locks the file, so that no other process has it open while this source exists.
    /// - Throws: ``StoreError`` that names `path`.
    init(path: String, isAlone: Bool) throws(StoreError) {
        name = path
        do {
            guard try StoreFile.exists(path) else { throw StoreError.missing(path: path) }
            database = try StoreConnection(path: path) { configuration in
                configuration.readonly = !isAlone
                // Set before the first read, so that no other process shares the log
                // (sqlite.org/pragma.html#pragma_locking_mode).
                if isAlone { configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") } }
            }
            try database.read { db in
                // A file without tables: no gate has written to it yet, or it crashed before it made them.
                guard try StoreSchema.isMade(in: db, path: path) else { throw StoreError.foreignDatabase(path: path) }
            }
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }

    /// A store that is open for writing, too.
    init(_ database: StoreConnection) {
        name = database.path
        self.database = database
    }

    func look<Answer>(
        at part: StorePart, counter: WorkCounter, _ body: (StoreView) throws -> Answer
    ) throws -> Answer {
        switch part {
        case .groups(let filter), .loads(let filter): if !filter.gates.isEmpty { throw withoutGates }
        case .recordings: break
        }
        do {
            return try database.read { try body(StoreView($0, counter: counter)) }
        } catch let error where error is DatabaseError || error is StoreRow.Unreadable {
            throw StoreSchema.explained(error, path: name)
        } catch StoreError.unreadableRecord(let id, let cause) {
            throw StoreError.damaged(path: name, cause: "record \(id): \(cause)")
        }
    }

    func page(of filter: RecordFilter, before place: StorePosition?, limit: Int) throws -> StorePage {
        guard limit > 0 else { return StorePage(records: [], next: nil) }
        return try look(at: .loads(filter), counter: WorkCounter()) { view in
            var records: [LoadRecord] = []
            var last: StorePosition?
            try view.forEachRow(of: LoadQuery(filter, isDescending: true, in: view), after: place?.number) { row in
                records.append(try row.record())
                last = row.place
                return records.count < limit
            }
            return StorePage(records: records, next: records.count < limit ? nil : last)
        }
    }

    func record(id: String) throws -> LoadRecord? {
        try look(at: .recordings, counter: WorkCounter()) { view in
            try view.number(ofLoad: id).flatMap { try view.row(at: $0)?.record() }
        }
    }

    func news(of filter: RecordFilter, after mark: inout StoreMark, limit: Int) throws -> [LoadRecord] {
        var last = if case .row(let row) = mark { row } else { Int64(0) }
        defer { mark = .row(last) }
        return try look(at: .loads(filter), counter: WorkCounter()) { view in
            let end = try view.end()
            guard end > last else { return [] }
            var records: [LoadRecord] = []
            try view.forEachRow(of: LoadQuery(filter, in: view), after: last) { row in
                records.append(try row.record())
                last = row.place.number
                return records.count < limit
            }
            if records.count < limit { last = max(last, end) }
            return records
        }
    }

    func mark() throws -> StoreMark { .row(try look(at: .recordings, counter: WorkCounter()) { try $0.end() }) }

    func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]] { throw withoutGates }

    func sizes(of filter: RecordFilter) throws -> [String: Int64] {
        try look(at: .loads(filter), counter: WorkCounter()) { view in
            var sizes: [Int64: Int64] = [:]
            let columns = "seq, shared, length(path) + length(client) + length(method) + coalesce(length(more), 0)"
            try view.forEach(columns, of: LoadQuery(filter, in: view)) { row in
                sizes[try row.number(1), default: 0] += try row.count(2) + loadFixedBytes
                return true
            }
            return try sizes.reduce(into: [:]) { $0[try view.shared($1.key).record.recording, default: 0] += $1.value }
        }
    }

    private var withoutGates: StoreError {
        .otherKind(path: name, cause: "only a shared store knows which gate a load came from; this is a file")
    }
}

/// The columns that a load has besides its texts, in bytes.
package let loadFixedBytes: Int64 = 64

/// The end of a store at the time of a read.
package enum StoreMark: Sendable, Hashable {
    /// Before the first load.
    case beginning
    /// The number of the last row of a file.
    case row(Int64)
    /// The last load that each gate has filed in a shared store, by the identity of its spool.
    case gates([UInt128: Filed])
    /// Between two such marks, while the loads between them are read.
    case within(Span)

    /// The number of a load, and when its record was made, by its gate's clock, in microseconds since 1970-01-01 UTC.
    package struct Filed: Sendable, Hashable {
        package var number: Int64
        package var time: Int64

        package init(number: Int64, time: Int64) {
            self.number = number
            self.time = time
        }
    }

    package struct Span: Sendable, Hashable {
        package var from: [UInt128: Filed]
        package var to: [UInt128: Filed]
        /// None of its loads began before, in microseconds since 1970-01-01 UTC; nil if unknown.
        package var since: Int64?
        /// The last load that was returned, in the order in which they began.
        package var after: StorePosition?

        package init(from: [UInt128: Filed], to: [UInt128: Filed], since: Int64?) {
            self.from = from
            self.to = to
            self.since = since
        }
    }
}

/// The position of a load in its store. In a file, the number of its row. In a shared store, the time when the load
/// began and its id, which order the loads of all gates.
public struct StorePosition: Sendable, Hashable, CustomStringConvertible {
    /// The number of a row; or microseconds since 1970-01-01 UTC.
    package let number: Int64
    /// The 128 bits of a load's id; 0 in a file.
    package let id: UInt128

    package init(number: Int64, id: UInt128 = 0) {
        self.number = number
        self.id = id
    }

    /// - Parameter text: a ``description``.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let number = Int64(parts[0]), number >= 0 else { return nil }
        guard parts.count == 2 else {
            self.init(number: number)
            return
        }
        guard parts[1].utf8.count <= 32, let id = UInt128(parts[1], radix: 16) else { return nil }
        self.init(number: number, id: id)
    }

    /// True for a position in a shared store.
    public var isShared: Bool { id != 0 }

    /// A token from which a caller can continue, parsed by ``init(_:)``.
    public var description: String { id == 0 ? String(number) : "\(number)-\(String(id, radix: 16))" }
}
