import Records

/// The rows of a store, one by one in the order filed.
struct RowScan: Sendable {
    private var walk = TableWalk.loads
    /// The first row that may count and the last one: what is filed later is not looked at.
    let ends: ClosedRange<Int64>?
    /// Looked up once, in place of once for each row; nil for all.
    private var forms: Set<Int64>?
    /// What is looked for in rows.
    private let search: LoadSearch
    private let devices: Set<String>

    init(_ filter: LoadFilter, in view: SQLiteView, isDescending: Bool = false) throws {
        walk.condition = filter.rows
        walk.isDescending = isDescending
        ends = try filter.ends(in: view.db, noting: view.damage)
        forms = try filter.forms(in: view.db, noting: view.damage)
        search = filter.search
        devices = filter.devices
    }

    /// The same with the forms that are wanted now; what was filed since stays out.
    func renewed(_ filter: LoadFilter, in view: SQLiteView) throws -> RowScan {
        var scan = self
        scan.forms = try filter.forms(in: view.db, noting: view.damage)
        return scan
    }

    /// Hands over rows; what cannot be read is noted and left out.
    ///
    /// - Parameters:
    ///   - behind: rows up to it, in the order of the scan, are left out; nil for none.
    ///   - body: whether to go on.
    /// - Throws: `DatabaseError`, and what `body` throws but ``StoreError/unreadableRecord(id:cause:)``.
    func forEach(behind place: Int64? = nil, in view: SQLiteView, _ body: (ScannedRow) throws -> Bool) throws {
        guard let ends else { return }
        var (first, last) = (ends.lowerBound, ends.upperBound)
        if let place, walk.isDescending { last = min(last, max(place, -endOfNumbers) - 1) }
        if let place, !walk.isDescending { first = max(first, min(place, endOfNumbers) + 1) }
        let search = RowSearch(search, devices: devices)
        // Of the row before: most are like it.
        var known: (form: Int64, isWanted: Bool)?
        try walk.forEach(from: first, to: last, in: view.db, noting: view.damage) { row in
            let form = try row.number(1)
            if known?.form != form { known = (form, forms?.contains(form) ?? true) }
            guard known?.isWanted == true else { return true }
            let row = try ScannedRow(row)
            guard try search?.matches(row, in: view) ?? true else { return true }
            return try body(row)
        }
    }
}
