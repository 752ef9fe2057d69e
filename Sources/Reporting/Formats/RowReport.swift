import Bytes
import Records

/// A report with an item for each load, while it is written.
struct RowReport {
    private(set) var hasEnded = false
    private var rows: any LoadRows
    private var forms = SharedForms()
    private var scan: any StoreScan
    /// The store's generation when the forms were read.
    private var generation: Int
    /// The last row that was written.
    private var last: StorePosition?
    private var pending: [UInt8] = []

    init(_ rows: any LoadRows, of filter: RecordFilter, _ context: ReportContext, in view: any StoreView) throws {
        self.rows = rows
        scan = try view.scan(filter, isDescending: false)
        generation = try view.generation()
        pending.reserveCapacity(pieceBytes * 2)
        self.rows.begin(context, to: &pending)
    }

    /// The next piece, with the end of the report after the last load.
    mutating func piece(in view: any StoreView) throws -> [UInt8] {
        try forgetWhatWasPruned(in: view)
        hasEnded = true
        try view.forEachRow(of: scan, behind: last) { row in
            try add(row, in: view)
            hasEnded = pending.count < pieceBytes
            return hasEnded
        }
        if hasEnded { rows.end(to: &pending) }
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }

    /// Writes the whole report from one snapshot.
    ///
    /// - Parameter write: called with the next bytes.
    mutating func write(in view: any StoreView, _ write: ([UInt8]) throws -> Void) throws {
        try view.forEachRow(of: scan, behind: nil) { row in
            try add(row, in: view)
            guard pending.count >= pieceBytes else { return true }
            try write(pending)
            pending.removeAll(keepingCapacity: true)
            return true
        }
        rows.end(to: &pending)
        try write(pending)
    }

    private mutating func add(_ row: ScannedRow, in view: any StoreView) throws {
        last = row.place
        let form = try forms.form(of: row, in: view)
        // Checked first, so that a load that does not fit is not partly written.
        try rows.add(LoadRow(form: form, entry: row.entry).checked(), to: &pending)
    }

    /// Drops cached forms if rows were deleted since the last piece, because their numbers may be in use again.
    private mutating func forgetWhatWasPruned(in view: any StoreView) throws {
        let current = try view.generation()
        guard current != generation else { return }
        generation = current
        forms = SharedForms()
        scan = try view.renewed(scan)
    }
}

/// A cache of a store's forms.
private struct SharedForms {
    private var forms = WeighedCache<Int64, SharedForm>(.rows, limit: 16 << 20, count: formLimit)

    mutating func form(of row: ScannedRow, in view: any StoreView) throws -> SharedForm {
        if let known = forms.value(for: row.form) { return known }
        guard let text = try view.formText(row.form) else {
            throw StoreError.unreadableRecord(id: row.id, cause: "its form is missing")
        }
        let form = SharedForm(text)
        forms.keep(form, for: row.form, bytes: text.text.count * 2)
        return form
    }
}

private let pieceBytes = 65_536
private let formLimit = 2048
