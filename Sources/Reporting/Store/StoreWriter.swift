import ATSPolicy
import GRDB
import Records

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
