import GRDB

/// The number of loads of one recording with one verdict, and the range of their times and rows.
package struct StoreTally {
    /// The recording and the verdict that a tally counts.
    package struct Key: Hashable {
        let recording: String
        let verdict: String

        package init(recording: String, verdict: String) {
            self.recording = recording
            self.verdict = verdict
        }
    }

    let key: Key
    var loads: Int64 = 0
    var times: (first: Int64, last: Int64) = (.max, .min)
    var seqs: (first: Int64, last: Int64) = (.max, .min)

    init(_ key: Key) {
        self.key = key
    }

    /// Creates a tally of a store without row numbers.
    ///
    /// - Parameter times: start of its first load and of its last one, in milliseconds since 1970-01-01 UTC.
    package init(_ key: Key, loads: Int64, times: ClosedRange<Int64>) {
        self.key = key
        self.loads = loads
        self.times = (times.lowerBound, times.upperBound)
    }

    fileprivate init(_ row: StoreRow) throws(StoreRow.Unreadable) {
        key = Key(recording: try row.text(0), verdict: try row.text(1))
        loads = try row.count(2)
        times = (try row.time(3), try row.time(4))
        guard let first = try row.place(5), let last = try row.place(6) else {
            throw StoreRow.Unreadable(description: "its first or last row is missing")
        }
        seqs = (first, last)
    }

    mutating func add(time: Int64, seq: Int64) {
        loads += 1
        times = (min(times.first, time), max(times.last, time))
        seqs = (min(seqs.first, seq), max(seqs.last, seq))
    }

    func insert(into db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?, ?)").execute(arguments: [
            key.recording, key.verdict, loads, times.first, times.last, seqs.first, seqs.last,
        ])
    }

    /// All tallies of a store, as stored. If one cannot be read, they are counted again from the loads.
    static func all(in db: Database, noting damage: StoreDamage) throws -> [StoreTally] {
        do {
            return try written(in: db)
        } catch let error where error is StoreRow.Unreadable || (error as? DatabaseError)?.isDamage == true {
            damage.note(part: "the counts of recordings, which were counted again")
            return try counted(in: db, noting: damage)
        }
    }

    /// The tallies as stored.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    static func written(in db: Database) throws -> [StoreTally] {
        var tallies: [StoreTally] = []
        try db.forEachRow(
            "SELECT recording, verdict, loads, first_time, last_time, first_seq, last_seq FROM tally"
        ) { row in
            tallies.append(try StoreTally(row))
            guard tallies.count <= mostTallies else {
                throw StoreRow.Unreadable(description: "there are too many of them")
            }
            return true
        }
        return tallies
    }

    /// The tallies, counted from the loads.
    static func counted(in db: Database, noting damage: StoreDamage) throws -> [StoreTally] {
        var tallies: [Key: StoreTally] = [:]
        let view = SQLiteView(db, noting: damage)
        var forms = StoredForms()
        let walk = TableWalk(table: "load", number: "seq", columns: "form, time")
        try walk.forEach(in: db, noting: damage) { row in
            guard let form = try forms.form(try row.number(1), in: view) else { return true }
            let key = Key(recording: form.recording, verdict: form.verdict)
            tallies[key, default: StoreTally(key)].add(time: try row.time(2), seq: try row.number(0))
            return true
        }
        return Array(tallies.values)
    }
}

/// Four for each recording.
private let mostTallies = 1_000_000

extension [StoreTally] {
    /// The tallies, without empty ones of recordings that now have loads: only loads determine the times of such a
    /// recording.
    var counted: [StoreTally] {
        let filled = Set(lazy.filter { $0.loads > 0 }.map(\.key.recording))
        return filter { $0.loads > 0 || !filled.contains($0.key.recording) }
    }
}
