import Records

/// The rows of a store, one by one in stored order.
struct RowScan: Sendable {
    private var walk = TableWalk.loads
    /// The first and the last row that may match. Rows stored later are not read.
    let ends: ClosedRange<Int64>?
    /// The forms that match, queried once instead of per row; nil for all.
    private var forms: Set<Int64>?
    /// The words that are searched in rows.
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

    /// The same scan with the forms that match now. Rows stored since then stay excluded.
    func renewed(_ filter: LoadFilter, in view: SQLiteView) throws -> RowScan {
        var scan = self
        scan.forms = try filter.forms(in: view.db, noting: view.damage)
        return scan
    }

    /// Calls `body` with each row. Rows that cannot be read are noted and left out.
    ///
    /// - Parameters:
    ///   - behind: rows up to this one, in the order of the scan, are skipped; nil for none.
    ///   - body: returns true to continue.
    /// - Throws: `DatabaseError`, and what `body` throws except ``StoreError/unreadableRecord(id:cause:)``.
    func forEach(behind place: Int64? = nil, in view: SQLiteView, _ body: (ScannedRow) throws -> Bool) throws {
        guard let ends else { return }
        var (first, last) = (ends.lowerBound, ends.upperBound)
        if let place, walk.isDescending { last = min(last, max(place, -endOfNumbers) - 1) }
        if let place, !walk.isDescending { first = max(first, min(place, endOfNumbers) + 1) }
        let search = RowSearch(search, devices: devices)
        // The form of the row before: most rows have the same.
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
