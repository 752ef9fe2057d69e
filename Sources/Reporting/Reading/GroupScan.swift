import GRDB
import Records

/// Groups loads by form and rule, in one pass over the rows. Memory grows with the number of groups only, and the work
/// for each row costs less than SQLite's step to the next.
struct GroupScan {
    /// A group of similar loads while they are counted.
    private struct Group {
        /// Rows of the first loads, in the order in which they were stored.
        var seqs: [Int64]
        /// The row of the load that was stored last.
        var last: Int64
        let rule: String?
        var loads = 0
        var span: RunningSpan
        var urls = URLTally()
    }

    /// The data that rows of one form share.
    private struct Kind {
        /// The position of the URL in an entry.
        let urlPlace: Int?
        /// True if they may contain a device's outcome.
        let isWitnessed: Bool
        /// The rules that decided, each with the index of its group: usually one or two.
        var groups: [(rule: Int, place: Int)] = []
    }

    private var groups: [Group] = []
    private var kinds: [Kind] = []
    private var forms = FormNumbers()
    /// The rules that decided, each once. Rows refer to them by index.
    private var rules: [[UInt8]] = [[]]

    /// The groups, in order of first appearance.
    ///
    /// - Parameter witnessed: called with each row whose load was witnessed.
    static func groups(
        _ filter: LoadFilter, in view: SQLiteView, witnessed: ((ScannedRow) throws -> Void)? = nil
    ) throws -> [LoadBatch] {
        var scan = GroupScan()
        try RowScan(filter, in: view).forEach(in: view) { row in
            let kind = try scan.add(row, in: view.db)
            if scan.kinds[kind].isWitnessed { try witnessed?(row) }
            return true
        }
        return scan.groups.map { group in
            LoadBatch(
                places: group.seqs.map { StorePosition(number: $0) }, last: StorePosition(number: group.last),
                rule: group.rule, loads: group.loads, span: group.span.whole, urls: group.urls)
        }
    }

    /// - Returns: the index of the row's kind.
    private mutating func add(_ row: ScannedRow, in db: Database) throws -> Int {
        let kind = try forms.place(of: row.form, in: db)
        if kind == kinds.count {
            kinds.append(Kind(urlPlace: forms.urlPlace, isWitnessed: forms.isWitnessed))
        }
        let place = group(of: kind, number(of: row.rule), row)
        groups[place].loads += 1
        groups[place].last = row.place.number
        if groups[place].seqs.count < seqsKept, groups[place].seqs.last != row.place.number {
            groups[place].seqs.append(row.place.number)
        }
        groups[place].span.add(row.time)
        if !groups[place].urls.isFull {
            groups[place].urls.add(EntryValues.value(kinds[kind].urlPlace, of: row.entry))
        }
        return kind
    }

    private mutating func group(of kind: Int, _ rule: Int, _ row: ScannedRow) -> Int {
        for known in kinds[kind].groups where known.rule == rule { return known.place }
        let words = rule == 0 ? nil : String(decoding: rules[rule], as: UTF8.self)
        kinds[kind].groups.append((rule, groups.count))
        groups.append(Group(seqs: [row.place.number], last: row.place.number, rule: words, span: RunningSpan(row.time)))
        return groups.count - 1
    }

    /// A linear search: there are a few dozen rules at most, and most loads have none.
    private mutating func number(of rule: UnsafeBufferPointer<UInt8>) -> Int {
        if rule.isEmpty { return 0 }
        if let known = rules.firstIndex(where: { $0.elementsEqual(rule) }) { return known }
        rules.append(Array(rule))
        return rules.count - 1
    }
}

/// One is enough except in damaged stores.
private let seqsKept = 8
