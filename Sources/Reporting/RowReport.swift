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
    private var last: Int64 = -1
    private var pending: [UInt8] = []

    init(_ rows: any LoadRows, of filter: RecordFilter, _ context: ReportContext, in db: Database) throws {
        self.rows = rows
        self.filter = LoadFilter(filter)
        scan = try RowScan(self.filter, in: db)
        generation = try StoreGeneration.current(in: db)
        pending.reserveCapacity(pieceBytes * 2)
        self.rows.begin(context, to: &pending)
    }

    /// What comes next, with the end of the report behind the last load.
    mutating func piece(in db: Database) throws -> [UInt8] {
        try forgetWhatWasPruned(in: db)
        hasEnded = true
        try scan.forEach(behind: last, in: db) { row in
            let form = try forms.form(row.form, of: row.entry, in: db)
            try rows.add(LoadRow(form: form, entry: row.entry), to: &pending)
            last = row.seq
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
    private var forms: [Int64: SharedForm] = [:]

    mutating func form(_ number: Int64, of entry: UnsafeBufferPointer<UInt8>, in db: Database) throws -> SharedForm {
        if let known = forms[number] { return known }
        let sql = "SELECT text FROM form WHERE id = ?"
        guard let text = try String.fetchOne(db.cachedStatement(sql: sql), arguments: [number]) else {
            let id = EntryValues.value(0, of: entry)
            throw StoreError.unreadableRecord(id: String(decoding: id, as: UTF8.self), cause: "its form is missing")
        }
        if forms.count >= formLimit { forms.removeAll(keepingCapacity: true) }
        let form = SharedForm(RecordForm(text: Array(text.utf8)))
        forms[number] = form
        return form
    }
}

private let pieceBytes = 65_536
private let formLimit = 1024
