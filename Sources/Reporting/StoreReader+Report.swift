import GRDB
import Records

extension StoreReader {
    /// Writes what was recorded, a piece at a time. Loads are grouped while they are read, so that a report about them
    /// all costs what is distinct in them; what has something for each load is streamed.
    ///
    /// - Parameter write: takes the next bytes.
    /// - Throws: ``StoreError``, and what `write` throws.
    public func report(
        as format: ReportFormat, of filter: RecordFilter, _ context: ReportContext = ReportContext(),
        to write: ([UInt8]) throws -> Void
    ) throws {
        switch format.writer {
        case .rows(let rows): try stream(rows, of: filter, context, to: write)
        case .whole(let render):
            var model = ReportModel()
            try forEachGroup(matching: filter) { try model.add($0) }
            try write(Array(render(model, context.completed(for: model)).utf8))
        }
    }

    private func stream(
        _ rows: any LoadRows, of filter: RecordFilter, _ context: ReportContext, to write: ([UInt8]) throws -> Void
    ) throws {
        var rows = rows
        var pending: [UInt8] = []
        pending.reserveCapacity(chunkBytes * 2)
        rows.begin(context, to: &pending)
        try database.read { db in
            var forms = SharedForms()
            try RowScan.forEach(LoadFilter(filter), in: db) { row in
                let form = try forms.form(row.form, of: row.entry, in: db)
                try rows.add(LoadRow(form: form, entry: row.entry), to: &pending)
                guard pending.count >= chunkBytes else { return }
                try write(pending)
                pending.removeAll(keepingCapacity: true)
            }
        }
        rows.end(to: &pending)
        try write(pending)
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

private let chunkBytes = 65_536
private let formLimit = 1024
