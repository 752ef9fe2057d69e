import Bytes
import Records

/// A report with something for each load, while it is written.
struct RowReport {
    private(set) var hasEnded = false
    private var rows: any LoadRows
    private var forms = SharedForms()
    private var scan: any StoreScan
    /// Of the store when the forms were read.
    private var generation: Int
    /// The row that was written last.
    private var last: StorePlace?
    private var pending: [UInt8] = []

    init(_ rows: any LoadRows, of filter: RecordFilter, _ context: ReportContext, in view: any StoreView) throws {
        self.rows = rows
        scan = try view.scan(filter, isDescending: false)
        generation = try view.generation()
        pending.reserveCapacity(pieceBytes * 2)
        self.rows.begin(context, to: &pending)
    }

    /// What comes next, with the end of the report behind the last load.
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

    /// All of it, in one look.
    ///
    /// - Parameter write: takes the next bytes.
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
        // Nothing of a load is written before all of it is known to fit.
        try rows.add(LoadRow(form: form, entry: row.entry).checked(), to: &pending)
    }

    /// Numbers of rows that were taken out since the last piece may stand for others now.
    private mutating func forgetWhatWasPruned(in view: any StoreView) throws {
        let current = try view.generation()
        guard current != generation else { return }
        generation = current
        forms = SharedForms()
        scan = try view.renewed(scan)
    }
}

/// Forms of a store, each read once while there are not too many.
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
