import ATSPolicy
import Bytes
import GRDB
import Records

/// Turns records into rows. Caches which forms the file has. Must be replaced after a rollback.
struct StoreWriter {
    private var json = RecordJSON()
    private var entry: [UInt8] = []
    /// Rows of recently used forms.
    private var forms = KnownForms()
    private var handshakes = HandshakeRows()
    /// The store's generation when the caches were filled.
    private var generation: Int?

    /// Writes a row for each of `records`, and the rows that they share, into the open transaction.
    mutating func write(_ records: [LoadRecord], to db: Database) throws {
        try forgetWhatWasPruned(in: db)
        var insert = try LoadInsert(db)
        var tallies: [Tally] = []
        for record in records { try write(record, by: &insert, in: db, &tallies) }
        for tally in tallies {
            try tally.add(to: db, seqs: insert.last - Int64(records.count) + 1...insert.last)
        }
    }

    private mutating func write(
        _ record: LoadRecord, by insert: inout LoadInsert, in db: Database, _ tallies: inout [Tally]
    ) throws {
        let form = try row(of: json.form(of: record), for: record, in: db)
        entry.removeAll(keepingCapacity: true)
        RecordJSON.appendEntry(of: record, to: &entry)
        let rule = record.diagnosis?.findings.first?.rule.rawValue
        try insert.add(form: form, time: record.time, rule: rule, entry: entry)
        count(record, in: &tallies)
    }

    /// Adds a tally of 0 loads, so that the recording exists. It covers no row: its first number is above its last.
    ///
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    static func begin(_ recording: String, at time: Int64, in db: Database) throws {
        let last = try StoreNumbers.last(in: db)
        try db.execute(
            sql: beginSQL, arguments: [recording, Verdict.allowed.rawValue, time, time, last + 1, last, recording])
    }

    /// Empties the caches if this gate or another one deleted rows since the last batch.
    private mutating func forgetWhatWasPruned(in db: Database) throws {
        let current = try StoreGeneration.current(in: db)
        guard current != generation else { return }
        generation = current
        forms = KnownForms()
        handshakes = HandshakeRows()
    }

    private mutating func row(of form: RecordForm, for record: LoadRecord, in db: Database) throws -> Int64 {
        if let row = forms.row(of: form) { return row }
        try db.cachedStatement(sql: formSQL).execute(arguments: [
            record.recording, record.load.target.host, record.verdict.rawValue, record.client.os,
            String(decoding: form.text, as: UTF8.self), try form.handshake.map { try handshakes.row(of: $0, in: db) },
        ])
        forms.add(form, row: db.lastInsertedRowID)
        return db.lastInsertedRowID
    }

    /// A batch usually has one recording and one verdict, so a linear search is fast.
    private func count(_ record: LoadRecord, in tallies: inout [Tally]) {
        if let index = tallies.firstIndex(where: { $0.counts(record) }) {
            tallies[index].add(record)
        } else {
            tallies.append(Tally(record))
        }
    }
}

/// The number of loads of one recording with one verdict, and when they began.
private struct Tally {
    let recording: String
    let verdict: Verdict
    var loads: Int64 = 1
    var first: Int64
    var last: Int64

    init(_ record: LoadRecord) {
        recording = record.recording
        verdict = record.verdict
        first = record.time
        last = record.time
    }

    func counts(_ record: LoadRecord) -> Bool {
        verdict == record.verdict && recording == record.recording
    }

    mutating func add(_ record: LoadRecord) {
        loads += 1
        first = min(first, record.time)
        last = max(last, record.time)
    }

    /// - Parameter seqs: the batch's rows, which may include rows of other recordings.
    func add(to db: Database, seqs: ClosedRange<Int64>) throws {
        try db.cachedStatement(sql: tallySQL).execute(arguments: [
            recording, verdict.rawValue, loads, first, last, seqs.lowerBound, seqs.upperBound,
        ])
    }
}

private let formSQL = "INSERT INTO form (recording, host, verdict, os, text, handshake) VALUES (?, ?, ?, ?, ?, ?)"
private let beginSQL = """
    INSERT INTO tally (recording, verdict, loads, first_time, last_time, first_seq, last_seq)
    SELECT ?, ?, 0, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM tally WHERE recording = ?)
    """
private let tallySQL = """
    INSERT INTO tally (recording, verdict, loads, first_time, last_time, first_seq, last_seq)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET loads = loads + excluded.loads,
        first_time = CASE loads WHEN 0 THEN excluded.first_time ELSE min(first_time, excluded.first_time) END,
        last_time = CASE loads WHEN 0 THEN excluded.last_time ELSE max(last_time, excluded.last_time) END,
        first_seq = min(first_seq, excluded.first_seq), last_seq = max(last_seq, excluded.last_seq)
    """

/// Rows of recently used forms. A form that was dropped from the cache is written again when it is next used, and every
/// report reads the duplicate.
private struct KnownForms {
    private var knownRows = WeighedCache<RecordForm, Int64>(.rows, limit: 16 << 20, count: 4096)
    /// The last form used: most loads are like the one before.
    private var latest: RecordForm?
    private var latestRow: Int64 = 0

    mutating func row(of form: RecordForm) -> Int64? {
        if form === latest { return latestRow }
        guard let row = knownRows.value(for: form) else { return nil }
        (latest, latestRow) = (form, row)
        return row
    }

    mutating func add(_ form: RecordForm, row: Int64) {
        knownRows.keep(row, for: form, bytes: form.bytes)
        (latest, latestRow) = (form, row)
    }
}
