import GRDB
import Records

/// A ``RecordFilter`` as SQL, with its values: what ``FilterCondition`` says of tables.
struct LoadFilter {
    typealias Clause = FilterCondition.Clause

    /// What is asked of a row besides; empty for nothing.
    let rows: Clause
    /// Words, and names of devices, that are looked for in rows one by one.
    let search: LoadSearch
    let devices: Set<String>
    private let recordings: [String]
    /// What is asked of a form; nil for nothing.
    private let wanted: Clause?

    init(_ filter: RecordFilter) {
        rows = FilterCondition.clause(of: filter, at: .load) ?? ("", StatementArguments())
        search = filter.search
        devices = filter.devices
        recordings = filter.recordings
        wanted = FilterCondition.clause(of: filter, at: .form)
    }

    /// The first row that may be wanted and the last one; nil where there is none. Between the ends of the recordings in
    /// the order of rows: nothing to sort, so memory stays flat.
    func ends(in db: Database, noting damage: StoreDamage) throws -> ClosedRange<Int64>? {
        var ends: ClosedRange<Int64>?
        if recordings.isEmpty {
            // Those of the table are not asked for: the page with the last one may be damaged.
            let all = -endOfNumbers...endOfNumbers
            guard let last = try? db.number("SELECT max(seq) FROM load") else { return all }
            return all.clamped(to: all.lowerBound...max(last, all.lowerBound))
        }
        let names = Set(recordings)
        for tally in try StoreTally.all(in: db, noting: damage) where names.contains(tally.key.recording) {
            let (first, last) = (tally.seqs.first, max(tally.seqs.first, tally.seqs.last))
            ends = min(first, ends?.lowerBound ?? first)...max(last, ends?.upperBound ?? last)
        }
        return ends
    }

    /// The forms that are wanted; nil for all.
    func forms(in db: Database, noting damage: StoreDamage) throws -> Set<Int64>? {
        guard let wanted else { return nil }
        var forms: Set<Int64> = []
        let walk = TableWalk(table: "form", number: "id", columns: "id", condition: wanted)
        try walk.forEach(in: db, noting: damage) { row in
            forms.insert(try row.number(0))
            return true
        }
        return forms
    }
}
