public import Records

/// Turns records into a report, one by one, for a run without a store.
public struct ReportRenderer {
    private let context: ReportContext
    private var form: Form
    private var parts = RecordParts()
    private var json = RecordJSON()
    /// The form of the last row: the next one often has the same.
    private var last: SharedForm?
    private var hasBegun = false

    private enum Form {
        case rows(any LoadRows)
        case whole(ReportModel, (ReportModel, ReportContext) -> String)
    }

    init(_ writer: ReportFormat.Writer, _ context: ReportContext) {
        self.context = context
        switch writer {
        case .rows(let rows): form = .rows(rows)
        case .whole(let write): form = .whole(ReportModel(), write)
        }
    }

    /// Adds a load and appends the output that is ready.
    ///
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public mutating func add(_ load: LoadRecord, to output: inout [UInt8]) throws(StoreError) {
        guard case .rows(var rows) = form else {
            let handshake = load.origin?.handshake
            return try add(StoredRecord(load), handshake?.isEmpty == false ? handshake : nil, to: &output)
        }
        begin(&rows, to: &output)
        // In two parts, as in a store, to avoid writing whole JSON and parsing it again.
        var entry: [UInt8] = []
        RecordJSON.appendEntry(of: load, to: &entry)
        try add(json.form(of: load), entry, to: &rows, &output)
        form = .rows(rows)
    }

    /// Adds a row and appends the output that is ready.
    public mutating func add(
        _ record: StoredRecord, _ handshake: RecordedHandshake? = nil, to output: inout [UInt8]
    ) throws(StoreError) {
        switch form {
        case .rows(var rows):
            begin(&rows, to: &output)
            try add(record, to: &rows, &output)
            form = .rows(rows)
        case .whole(var model, let write):
            form = .whole(ReportModel(), write)
            try model.add(record, handshake)
            form = .whole(model, write)
        }
    }

    /// Appends the rest. Call once, at the end.
    public mutating func finish(to output: inout [UInt8]) {
        switch form {
        case .rows(var rows):
            begin(&rows, to: &output)
            rows.end(to: &output)
            form = .rows(rows)
        case .whole(let model, let write): output.append(contentsOf: write(model, context.completed(for: model)).utf8)
        }
    }

    private mutating func begin(_ rows: inout any LoadRows, to output: inout [UInt8]) {
        if !hasBegun { rows.begin(context, to: &output) }
        hasBegun = true
    }

    private mutating func add(
        _ record: StoredRecord, to rows: inout any LoadRows, _ output: inout [UInt8]
    ) throws(StoreError) {
        var json = record.json
        guard json.withUTF8({ parts.take($0) }) else {
            throw .unreadableRecord(id: record.id, cause: "it is not a record")
        }
        try add(RecordForm(text: parts.form), parts.entry, to: &rows, &output)
    }

    private mutating func add(
        _ text: RecordForm, _ entry: [UInt8], to rows: inout any LoadRows, _ output: inout [UInt8]
    ) throws(StoreError) {
        let form = last.flatMap { $0.text.text == text.text ? $0 : nil } ?? SharedForm(text)
        last = form
        let outcome: Result<Void, StoreError> = entry.withUnsafeBufferPointer { entry in
            Result { () throws(StoreError) in try rows.add(LoadRow(form: form, entry: entry), to: &output) }
        }
        try outcome.get()
    }
}

extension ReportFormat {
    /// A new renderer.
    public func renderer(_ context: ReportContext = ReportContext()) -> ReportRenderer {
        ReportRenderer(writer, context)
    }

    /// The whole report of `records`.
    ///
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public func render(
        _ records: some Sequence<StoredRecord>, _ context: ReportContext = ReportContext()
    ) throws(StoreError) -> [UInt8] {
        var renderer = renderer(context)
        var output: [UInt8] = []
        for record in records { try renderer.add(record, to: &output) }
        renderer.finish(to: &output)
        return output
    }
}
