import GRDB
import Records

/// The rows of a store, one by one in the order filed.
struct RowScan {
    /// One row, as long as the body runs that it was handed to.
    struct Row {
        let seq: Int64
        /// The form's own number.
        let form: Int64
        /// In milliseconds since 1970-01-01 UTC.
        let time: Int64
        /// Empty where no rule decided.
        let rule: UnsafeBufferPointer<UInt8>
        let entry: UnsafeBufferPointer<UInt8>

        /// - Parameter row: with the columns of ``TableWalk/loads``.
        init(_ row: StoreRow) throws(StoreRow.Unreadable) {
            seq = try row.number(0)
            form = try row.number(1)
            time = try row.time(2)
            rule = row.isNull(3) ? UnsafeBufferPointer(start: nil, count: 0) : try row.bytes(3)
            entry = try row.bytes(4)
        }

        /// nil where no rule decided.
        var ruleText: String? { rule.isEmpty ? nil : String(decoding: rule, as: UTF8.self) }

        /// An entry begins with it.
        var id: String { String(decoding: EntryValues.value(0, of: entry), as: UTF8.self) }
    }

    private var walk = TableWalk.loads
    private let damage: StoreDamage
    /// The first row that may count and the last one: what is filed later is not looked at.
    let ends: ClosedRange<Int64>?
    /// Looked up once, in place of once for each row; nil for all.
    private var forms: Set<Int64>?
    /// nil where nothing is looked for in rows.
    private var search: RowSearch?

    init(_ filter: LoadFilter, in db: Database, noting damage: StoreDamage, isDescending: Bool = false) throws {
        self.damage = damage
        walk.condition = filter.rows
        walk.isDescending = isDescending
        ends = try filter.ends(in: db, noting: damage)
        forms = try filter.forms(in: db, noting: damage)
        search = RowSearch(filter, noting: damage)
    }

    /// Looks up again which forms are wanted; what was filed since stays out.
    mutating func renew(_ filter: LoadFilter, in db: Database) throws {
        forms = try filter.forms(in: db, noting: damage)
        search = RowSearch(filter, noting: damage)
    }

    /// Hands over rows; what cannot be read is noted and left out.
    ///
    /// - Parameters:
    ///   - behind: rows up to it, in the order of the scan, are left out; nil for none.
    ///   - body: whether to go on.
    /// - Throws: `DatabaseError`, and what `body` throws but ``StoreError/unreadableRecord(id:cause:)``.
    func forEach(behind place: Int64? = nil, in db: Database, _ body: (Row) throws -> Bool) throws {
        guard let ends else { return }
        var (first, last) = (ends.lowerBound, ends.upperBound)
        if let place, walk.isDescending { last = min(last, max(place, -endOfNumbers) - 1) }
        if let place, !walk.isDescending { first = max(first, min(place, endOfNumbers) + 1) }
        // Of the row before: most are like it.
        var known: (form: Int64, isWanted: Bool)?
        try walk.forEach(from: first, to: last, in: db, noting: damage) { row in
            let form = try row.number(1)
            if known?.form != form { known = (form, forms?.contains(form) ?? true) }
            guard known?.isWanted == true else { return true }
            let row = try Row(row)
            guard try search?.matches(row, in: db) ?? true else { return true }
            return try body(row)
        }
    }
}
