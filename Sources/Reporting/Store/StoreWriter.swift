import ATSPolicy
import Bytes
import GRDB
import Records
import Text

/// Turns records into rows. Must be replaced after a rollback.
struct StoreWriter {
    private var shared = SharedRows()
    /// The store's generation when the numbers of shared rows were read.
    private var generation: Int?
    /// Recordings that exist. Pruning deletes those that lost all loads.
    private var recordings: Set<String> = []

    /// Writes a row for each of `records`, and the rows that they share, into the open transaction.
    ///
    /// - Throws: `DatabaseError`.
    mutating func write(_ records: [LoadRecord], to db: Database) throws {
        try forgetWhatWasPruned(in: db)
        var insert = try LoadInsert(db)
        var tallies = BatchTallies()
        recordings.removeAll(keepingCapacity: true)
        for record in records {
            try begin(record.recording, at: record.time, in: db)
            let row = try shared.row(of: record, in: db)
            let (diagnosis, task) = try shared.diagnosis(of: record, in: db)
            guard let load = LoadColumns(record, shared: row, diagnosis: diagnosis, task: task) else {
                throw DatabaseError(message: "the load's id \(record.id) is not a ULID")
            }
            try insert.add(load)
            tallies.add(load, number: insert.last)
        }
        try tallies.write(to: db)
    }

    /// Adds the recording, which then exists even without loads. An existing recording is unchanged.
    ///
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    mutating func begin(_ recording: String, at time: Int64, in db: Database) throws {
        guard !recordings.contains(recording) else { return }
        try Self.begin(recording, at: time, in: db)
        recordings.insert(recording)
    }

    static func begin(_ recording: String, at time: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO recording VALUES (?, ?)").execute(
            arguments: [recording, time])
    }

    /// Forgets what it knows if this gate or another one deleted rows since the last batch.
    private mutating func forgetWhatWasPruned(in db: Database) throws {
        let current = try StoreGeneration.current(in: db)
        guard current != generation else { return }
        self = StoreWriter()
        generation = current
    }
}

/// The loads of one batch, counted by shared row and diagnosis.
struct BatchTallies {
    private struct Key: Hashable {
        let shared: Int64
        let diagnosis: Int64
    }

    private struct Tally {
        var loads: Int64
        var times: ClosedRange<Int64>
        var rows: ClosedRange<Int64>
    }

    private var tallies: [Key: Tally] = [:]

    mutating func add(_ load: LoadColumns, number: Int64) {
        let key = Key(shared: load.shared, diagnosis: load.diagnosis)
        guard var tally = tallies[key] else {
            tallies[key] = Tally(loads: 1, times: load.time...load.time, rows: number...number)
            return
        }
        tally.loads += 1
        tally.times = min(tally.times.lowerBound, load.time)...max(tally.times.upperBound, load.time)
        tally.rows = tally.rows.lowerBound...number
        tallies[key] = tally
    }

    func write(to db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO tally (shared, diagnosis, loads, first_time, last_time, first_seq, last_seq)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET loads = loads + excluded.loads,
                    first_time = min(first_time, excluded.first_time),
                    last_time = max(last_time, excluded.last_time),
                    first_seq = min(first_seq, excluded.first_seq), last_seq = max(last_seq, excluded.last_seq)
                """)
        for (key, tally) in tallies {
            try statement.execute(arguments: [
                key.shared, key.diagnosis, tally.loads, tally.times.lowerBound, tally.times.upperBound,
                tally.rows.lowerBound, tally.rows.upperBound,
            ])
        }
    }
}

/// Writes what loads share: a row of `shared`, `diagnosis` and `handshake` for each distinct content, once per store.
/// Caches the numbers of the rows. Must be replaced after a rollback.
struct SharedRows {
    /// Rows by the addresses of the parts of records; a later record replaces an earlier one. A hit costs a few
    /// comparisons.
    private var places: [Known?] = []
    /// The record for which the last row was found.
    private var latest: Known?
    private var texts = InternedRows(
        find: "SELECT id FROM shared WHERE digest = ? AND text = ? AND recording = ? AND handshake IS ?",
        add: """
            INSERT INTO shared
                (digest, text, recording, handshake, host, verdict, os, label, entrance, policy, bundle, mode)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
    private var diagnoses = InternedRows(
        find: "SELECT id FROM diagnosis WHERE digest = ? AND text = ?",
        add: "INSERT INTO diagnosis (digest, text, rule) VALUES (?, ?, ?)")
    private var handshakes = InternedRows(
        find: "SELECT id FROM handshake WHERE digest = ? AND text = ?",
        add: "INSERT INTO handshake (digest, text) VALUES (?, ?)")
    /// Handshakes by identity of the origin that has them: connections of one origin have equal ones.
    private var origins = WeighedCache<RecordedHandshake, Int64>(.rows, limit: 4 << 20, count: 1024)
    private let budget = ByteBudget(.forms, limit: 4 << 20)

    /// A record with its row. Keeps the parts, so that no other part gets their addresses.
    private final class Known: Sendable {
        let record: LoadRecord
        let row: Int64
        let bytes: Int

        init(_ record: LoadRecord, row: Int64) {
            self.record = record.withoutOwnValues
            self.row = row
            bytes = record.removed.reduce((record.origin?.bytes ?? 0) + 256) { $0 + $1.utf8.count }
        }
    }

    /// The number of the record's shared row.
    mutating func row(of record: LoadRecord, in db: Database) throws -> Int64 {
        if places.isEmpty { places = Array(repeating: nil, count: placeCount) }
        let place = Int(record.partMark) % placeCount
        if let known = places[place], known.record.hasSameParts(as: record) { return known.row }
        // Each connection has parts of its own, most of them equal to those of the one before.
        if let latest, latest.record.sharesRow(with: record) {
            keep(Known(record, row: latest.row), at: place)
            return latest.row
        }
        let handshake = try record.handshake.map { try row(of: $0, in: db) }
        let text = record.text(.shared)
        let found = try texts.row(
            of: Array(text.utf8), [record.recording, handshake],
            [
                record.load.target.host, record.verdict.rawValue, record.policy.os, record.client.label,
                record.client.wayIn.rawValue, record.policy.source, record.policy.bundleID, record.policy.mode,
            ], in: db)
        let known = Known(record, row: found)
        latest = known
        keep(known, at: place)
        return found
    }

    /// Keeps a row. Parts of closed connections never come back, so all are dropped once they hold too much.
    private mutating func keep(_ known: Known, at place: Int) {
        budget.add(-(places[place]?.bytes ?? 0))
        places[place] = nil
        if !budget.hasRoom(for: known.bytes) {
            budget.add(-budget.heldBytes)
            places = Array(repeating: nil, count: placeCount)
        }
        budget.add(known.bytes)
        places[place] = known
    }

    /// The number of the row of the record's diagnosis, 0 for none, and the task that its marks replace.
    mutating func diagnosis(of record: LoadRecord, in db: Database) throws -> (row: Int64, task: DeviceTask?) {
        guard let diagnosis = record.diagnosis else { return (0, nil) }
        let (text, task) = DiagnosisMarks.marked(record)
        return (try diagnoses.row(of: text, [], [diagnosis.rule?.rawValue], in: db), task)
    }

    private mutating func row(of handshake: RecordedHandshake, in db: Database) throws -> Int64 {
        if let row = origins.value(for: handshake) { return row }
        let row = try handshakes.row(of: Array(handshake.text.utf8), [], [], in: db)
        origins.keep(row, for: handshake, bytes: handshake.bytes)
        return row
    }
}

/// Rows of one table that are found by their text.
private struct InternedRows {
    private struct Key: Hashable {
        let digest: UInt64
        let bytes: Int
        let others: String
    }

    private var rows = WeighedCache<Key, (text: [UInt8], row: Int64)>(.rows, limit: 8 << 20, count: 4096)
    private let find: String
    private let add: String

    init(find: String, add: String) {
        self.find = find
        self.add = add
    }

    /// - Parameters:
    ///   - also: values that, in addition to the text, distinguish rows.
    ///   - columns: the values of the other columns.
    mutating func row(
        of text: [UInt8], _ also: [(any DatabaseValueConvertible)?], _ columns: [(any DatabaseValueConvertible)?],
        in db: Database
    ) throws -> Int64 {
        let digest = Fingerprint.digest(text)
        let others = also.map { $0.map { "\($0)" } ?? "" }.joined(separator: "\u{1}")
        let key = Key(digest: digest, bytes: text.count, others: others)
        if let known = rows.value(for: key), known.text == text { return known.row }
        let values: [(any DatabaseValueConvertible)?] =
            [Int64(bitPattern: digest), String(decoding: text, as: UTF8.self)] + also
        let row: Int64
        if let found = try db.number(find, StatementArguments(values)) {
            row = found
        } else {
            try db.cachedStatement(sql: add).execute(arguments: StatementArguments(values + columns))
            row = db.lastInsertedRowID
        }
        rows.keep((text, row), for: key, bytes: text.count + others.utf8.count)
        return row
    }
}

/// More than the connections of a busy gate.
private let placeCount = 1024

/// The numbers of a store's rows. They rise and are never reused, so a reader that remembers its last number finds all
/// later loads after it. SQLite alone would continue from the highest existing number, or from 1
/// (sqlite.org/autoinc.html). So the highest number used is stored before rows are deleted.
enum StoreNumbers {
    /// The number of the newest row, even if that row was deleted; 0 if there was none.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    static func last(in db: Database) throws -> Int64 {
        try db.number(lastSQL, [endOfNumbers, endOfNumbers]) ?? 0
    }

    /// Writes down the highest number. Call it in the transaction that deletes rows, before the deletion.
    static func keep(in db: Database) throws {
        try db.execute(sql: "UPDATE meta SET high = ?", arguments: [try last(in: db)])
    }
}

/// Numbers above the limit were not assigned by a gate, and are ignored.
private let lastSQL = """
    SELECT max(
        ifnull((SELECT max(seq) FROM load WHERE seq <= ?), 0),
        ifnull((SELECT high FROM meta WHERE high <= ?), 0))
    """

/// A number that rises when shared rows are deleted, so that caches of their numbers are dropped. Uses the number that
/// SQLite reserves for applications (sqlite.org/pragma.html#pragma_user_version).
enum StoreGeneration {
    static func current(in db: Database) throws -> Int {
        Int(try db.number("PRAGMA user_version") ?? 0)
    }

    static func rise(in db: Database) throws {
        // A signed number of 32 bits.
        try db.execute(sql: "PRAGMA user_version = \(Int32(truncatingIfNeeded: try current(in: db) &+ 1))")
    }
}
