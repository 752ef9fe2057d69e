import GRDB
import Records

/// Puts the loads of one form and rule together, in one pass over the rows: its cost in memory goes with what is
/// distinct.
struct GroupScan {
    /// Loads that are alike.
    struct Group {
        /// The row of the first of them filed.
        let seq: Int64
        let rule: String?
        var loads = 0
        var span: LoadSpan
        var urls = URLTally()
        /// Where the URL is in an entry of this form.
        fileprivate let urlPlace: Int?
    }

    private(set) var groups: [Group] = []
    private var places: [Key: Int] = [:]
    /// What decided, each once: rows name their rule by its place here.
    private var rules: [[UInt8]] = [[]]

    private struct Key: Hashable {
        let form: Int64
        let rule: Int
    }

    /// In the order in which the groups were first met.
    static func groups(_ filter: LoadFilter, in db: Database) throws -> [Group] {
        var scan = GroupScan()
        try RowScan.forEach(filter, in: db) { try scan.add($0, in: db) }
        return scan.groups
    }

    private mutating func add(_ row: RowScan.Row, in db: Database) throws {
        let key = Key(form: row.form, rule: number(of: row.rule))
        let place = try places[key] ?? newGroup(key, row, in: db)
        groups[place].loads += 1
        groups[place].span.add(row.time)
        groups[place].urls.add(EntryValues.value(groups[place].urlPlace, of: row.entry))
    }

    private mutating func newGroup(_ key: Key, _ row: RowScan.Row, in db: Database) throws -> Int {
        let sql = "SELECT text FROM form WHERE id = ?"
        let text = try String.fetchOne(db.cachedStatement(sql: sql), arguments: [key.form])
        let urlPlace = text.flatMap {
            RecordForm(text: Array($0.utf8)).namedBlanks.firstIndex { $0.name == "load.url" }
        }
        let rule = key.rule == 0 ? nil : String(decoding: rules[key.rule], as: UTF8.self)
        places[key] = groups.count
        groups.append(Group(seq: row.seq, rule: rule, span: LoadSpan(row.time), urlPlace: urlPlace))
        return groups.count - 1
    }

    /// There are some dozens of rules at most, and most loads have none.
    private mutating func number(of rule: UnsafeBufferPointer<UInt8>) -> Int {
        if rule.isEmpty { return 0 }
        if let known = rules.firstIndex(where: { $0.elementsEqual(rule) }) { return known }
        rules.append(Array(rule))
        return rules.count - 1
    }
}
