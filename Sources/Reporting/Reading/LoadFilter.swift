import GRDB
import Records

/// A ``RecordFilter`` as SQL with its values, from the clauses of ``FilterCondition``.
struct LoadFilter {
    typealias Clause = FilterCondition.Clause

    /// The condition on rows; empty if there is none.
    let rows: Clause
    /// Words, and names of devices, that are searched row by row.
    let search: LoadSearch
    let devices: Set<String>
    private let recordings: [String]
    /// The condition on forms; nil if there is none.
    private let wanted: Clause?

    init(_ filter: RecordFilter) {
        rows = FilterCondition.clause(of: filter, at: .load) ?? ("", StatementArguments())
        search = filter.search
        devices = filter.devices
        recordings = filter.recordings
        wanted = FilterCondition.clause(of: filter, at: .form)
    }

    /// The first and the last row that may match; nil if there is none. The recordings' ranges, in row order, need no
    /// sorting, so memory use stays constant.
    func ends(in db: Database, noting damage: StoreDamage) throws -> ClosedRange<Int64>? {
        var ends: ClosedRange<Int64>?
        if recordings.isEmpty {
            // The table's actual bounds are not queried: the page with the last row may be damaged.
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

    /// The forms that match; nil for all.
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
