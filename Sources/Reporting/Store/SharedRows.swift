import ATSPolicy
import Bytes
import GRDB
import Records
import Text

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
