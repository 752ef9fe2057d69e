import GRDB
import Records

/// Finds a row by its load's id without an index, which would slow down each insert. Ids rise in row order, except for
/// moments in which two gates write to a store, and for imported recordings.
struct RecordSearch {
    let id: String
    let db: Database
    let damage: StoreDamage

    /// Searches near the expected position first, and then every row.
    ///
    /// - Returns: the number of its row; nil if no load has this id.
    func seq() throws -> Int64? {
        do {
            if let seq = try likely() { return seq }
        } catch let error as DatabaseError where error.isDamage && !error.isOutOfSteps {
            damage.note(part: "a page of load: \(error.words)")
        }
        var walk = TableWalk.loads
        let (start, length) = start
        walk.condition = ("substr(entry, 1, ?) = ?", [length, start])
        var found: Int64?
        try walk.forEach(from: 0, in: db, noting: damage) { row in
            found = try row.number(0)
            return true
        }
        return found
    }

    /// The start of the entry, and its length in characters.
    private var start: (text: String, length: Int) {
        let text = id + String(decoding: [RecordForm.blank], as: UTF8.self)
        return (text, text.unicodeScalars.count)
    }

    private func likely() throws -> Int64? {
        let ends = "SELECT min(first_seq), max(last_seq) FROM tally GROUP BY recording ORDER BY 2 DESC"
        var recordings: [(first: Int64, last: Int64)] = []
        try db.forEachRow(ends) { row in
            if let first = try? row.place(0), let last = try? row.place(1) { recordings.append((first, last)) }
            return recordings.count < Self.mostRecordings
        }
        for recording in recordings {
            if let seq = try seq(from: recording.first, to: recording.last) { return seq }
        }
        return nil
    }

    private func seq(from first: Int64, to last: Int64) throws -> Int64? {
        var (low, high) = (first, last)
        while high - low > Self.nearby {
            let middle = low + (high - low) / 2
            let found = try db.first(
                "SELECT seq, substr(entry, 1, ?) FROM load WHERE seq >= ? ORDER BY seq LIMIT 1",
                [id.unicodeScalars.count, middle]
            ) { (seq: try $0.number(0), id: (try? $0.text(1)) ?? "") }
            guard let found else {
                high = middle
                continue
            }
            if found.id < id, found.seq < high { low = found.seq } else { high = middle }
        }
        return try seq(between: low - Self.nearby, and: high + Self.nearby)
    }

    private func seq(between first: Int64, and last: Int64) throws -> Int64? {
        let sql = """
            SELECT seq FROM load WHERE seq BETWEEN ? AND ? AND substr(entry, 1, ?) = ? ORDER BY seq DESC LIMIT 1
            """
        return try db.number(sql, [first, last, start.length, start.text])
    }

    /// Rows searched on either side: more than two gates write in the second or two by which one may be late.
    private static let nearby: Int64 = 4096
    private static let mostRecordings = 100_000
}
