import Bytes
import GRDB
import Records

/// A report with something for each load, while it is written.
struct RowReport {
    private(set) var hasEnded = false
    private var rows: any LoadRows
    private var forms = SharedForms()
    private let filter: LoadFilter
    private var scan: RowScan
    /// Of the store when the forms were read.
    private var generation: Int
    /// The row that was written last.
    private var last: Int64?
    private var pending: [UInt8] = []

    init(
        _ rows: any LoadRows, of filter: RecordFilter, _ context: ReportContext, in db: Database,
        noting damage: StoreDamage
    ) throws {
        self.rows = rows
        self.filter = LoadFilter(filter)
        scan = try RowScan(self.filter, in: db, noting: damage)
        generation = try StoreGeneration.current(in: db)
        pending.reserveCapacity(pieceBytes * 2)
        self.rows.begin(context, to: &pending)
    }

    /// What comes next, with the end of the report behind the last load.
    mutating func piece(in db: Database) throws -> [UInt8] {
        try forgetWhatWasPruned(in: db)
        hasEnded = true
        try scan.forEach(behind: last, in: db) { row in
            last = row.seq
            let form = try forms.form(of: row, in: db)
            // Nothing of a load is written before all of it is known to fit.
            try rows.add(LoadRow(form: form, entry: row.entry).checked(), to: &pending)
            hasEnded = pending.count < pieceBytes
            return hasEnded
        }
        if hasEnded { rows.end(to: &pending) }
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }

    /// Numbers of rows that were taken out since the last piece may stand for others now.
    private mutating func forgetWhatWasPruned(in db: Database) throws {
        let current = try StoreGeneration.current(in: db)
        guard current != generation else { return }
        generation = current
        forms = SharedForms()
        try scan.renew(filter, in: db)
    }
}

/// Forms of a store, each read once while there are not too many.
private struct SharedForms {
    private var forms = WeighedCache<Int64, SharedForm>(.rows, limit: 16 << 20, count: formLimit)

    mutating func form(of row: RowScan.Row, in db: Database) throws -> SharedForm {
        if let known = forms.value(for: row.form) { return known }
        let text = try db.first("SELECT text FROM form WHERE id = ?", [row.form]) { Array(try $0.bytes(0)) }
        guard let text else { throw StoreError.unreadableRecord(id: row.id, cause: "its form is missing") }
        let form = SharedForm(RecordForm(text: text))
        forms.keep(form, for: row.form, bytes: text.count * 2)
        return form
    }
}

private let pieceBytes = 65_536
private let formLimit = 2048
