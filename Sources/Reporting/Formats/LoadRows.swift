import Records

/// A report format with an item for each load, written as they come, with constant memory.
protocol LoadRows: Sendable {
    /// Appends the part before the first load.
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

/// One load in its two parts, as stores keep it. Valid only during the call that receives it.
struct LoadRow {
    let form: SharedForm
    let entry: UnsafeBufferPointer<UInt8>

    /// Appends the record's JSON.
    func append(to output: inout [UInt8]) throws(StoreError) {
        guard form.text.fill(from: entry, to: &output) else {
            throw .unreadableRecord(id: id, cause: "it does not fit its form")
        }
    }

    /// Returns itself after a check.
    ///
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` if the numbers of values and blanks differ.
    func checked() throws(StoreError) -> LoadRow {
        guard entry.reduce(1, { $0 + ($1 == RecordForm.blank ? 1 : 0) }) == form.text.blankCount else {
            throw .unreadableRecord(id: id, cause: "it does not fit its form")
        }
        return self
    }

    /// The load's id, with which an entry begins.
    var id: String { String(decoding: EntryValues.value(0, of: entry), as: UTF8.self) }

    /// The values in the blanks of the form.
    func values() throws(StoreError) -> EntryValues {
        let values = EntryValues(entry)
        guard values.count == form.blanks.count else {
            throw .unreadableRecord(id: id, cause: "it does not fit its form")
        }
        return values
    }

    /// The whole record, decoded. Slow.
    func record() throws(StoreError) -> DecodedRecord {
        var json: [UInt8] = []
        try append(to: &json)
        return try DecodedRecord(json: json, id: id)
    }
}

/// A form, with data that a report format caches for it.
final class SharedForm {
    let text: RecordForm
    /// The blanks of the text.
    let blanks: [FormBlank]
    /// The cache of a ``LoadRows`` for this form, set at its first load.
    var memory: Any?

    /// The position of the blank with this name; nil if the form has none.
    func place(_ name: String) -> Int? { blanks.firstIndex { $0.name == name } }

    init(_ text: RecordForm) {
        self.text = text
        blanks = text.namedBlanks
    }
}
