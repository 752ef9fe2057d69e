import Records

/// A form of report with something for each load, written as they come: memory stays flat.
protocol LoadRows: Sendable {
    /// Appends what stands before the first load.
    mutating func begin(_ context: ReportContext, to output: inout [UInt8])
    /// Appends one load.
    mutating func add(_ load: LoadRow, to output: inout [UInt8]) throws(StoreError)
    /// Appends the end.
    mutating func end(to output: inout [UInt8])
}

extension LoadRows {
    func begin(_ context: ReportContext, to output: inout [UInt8]) {}
    func end(to output: inout [UInt8]) {}
}

/// One load in parts, as stores keep it. As long as the call runs that it was handed to.
struct LoadRow {
    let form: SharedForm
    let entry: UnsafeBufferPointer<UInt8>

    /// Appends the record's JSON.
    func append(to output: inout [UInt8]) throws(StoreError) {
        guard form.text.fill(from: entry, to: &output) else {
            throw .unreadableRecord(id: id, cause: "it does not fit its form")
        }
    }

    /// The same.
    ///
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` where there are not as many values as blanks.
    func checked() throws(StoreError) -> LoadRow {
        guard entry.reduce(1, { $0 + ($1 == RecordForm.blank ? 1 : 0) }) == form.text.blankCount else {
            throw .unreadableRecord(id: id, cause: "it does not fit its form")
        }
        return self
    }

    /// An entry begins with it.
    var id: String { String(decoding: EntryValues.value(0, of: entry), as: UTF8.self) }

    /// The values in the blanks of the form.
    func values() throws(StoreError) -> EntryValues {
        let values = EntryValues(entry)
        guard values.count == form.blanks.count else {
            throw .unreadableRecord(id: id, cause: "it does not fit its form")
        }
        return values
    }

    /// The whole record, read back. Slow.
    func record() throws(StoreError) -> DecodedRecord {
        var json: [UInt8] = []
        try append(to: &json)
        return try DecodedRecord(json: json, id: id)
    }
}

/// What loads share, and what a form of report remembers of it.
final class SharedForm {
    let text: RecordForm
    /// What goes into the blanks of the text.
    let blanks: [FormBlank]
    /// Whatever a ``LoadRows`` made of it when it met it first.
    var memory: Any?

    /// The place of the blank of this name; nil where the form has none.
    func place(_ name: String) -> Int? { blanks.firstIndex { $0.name == name } }

    init(_ text: RecordForm) {
        self.text = text
        blanks = text.namedBlanks
    }
}
