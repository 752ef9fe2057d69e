import GRDB
import Records

/// Finds a row by the id of its load without an index, which would cost each insert: ids rise in the order filed, but
/// for moments in which two gates share a store, or a recording was brought from elsewhere.
struct RecordSearch {
    let id: String
    let db: Database

    /// Where it is not near where it should be, every row is looked at.
    ///
    /// - Returns: the columns form, time, rule and entry; nil where no load has this id.
    func row() throws -> Row? {
        let ends = "SELECT min(first_seq), max(last_seq) FROM tally GROUP BY recording ORDER BY 2 DESC"
        for recording in try Row.fetchAll(db, sql: ends) {
            if let row = try row(from: recording[0], to: recording[1]) { return row }
        }
        return try row(between: 0, and: .max)
    }

    private func row(from first: Int64, to last: Int64) throws -> Row? {
        var (low, high) = (first, last)
        while high - low > Self.nearby {
            let middle = low + (high - low) / 2
            guard
                let met = try Row.fetchOne(
                    db.cachedStatement(
                        sql: "SELECT seq, substr(entry, 1, ?) FROM load WHERE seq >= ? ORDER BY seq LIMIT 1"),
                    arguments: [id.unicodeScalars.count, middle])
            else {
                high = middle
                continue
            }
            let seq: Int64 = met[0]
            if (met[1] as String) < id, seq < high { low = seq } else { high = middle }
        }
        return try row(between: low - Self.nearby, and: high + Self.nearby)
    }

    private func row(between first: Int64, and last: Int64) throws -> Row? {
        let sql = """
            SELECT form, time, rule, entry FROM load
            WHERE seq BETWEEN ? AND ? AND substr(entry, 1, ?) = ? ORDER BY seq DESC LIMIT 1
            """
        let entry = id + String(decoding: [RecordForm.blank], as: UTF8.self)
        return try Row.fetchOne(
            db.cachedStatement(sql: sql), arguments: [first, last, entry.unicodeScalars.count, entry])
    }

    /// Rows on either side that are looked at: more than two gates file in the second or two by which one may be late.
    private static let nearby: Int64 = 4096
}
