import Text

/// Writes a record as one line of JSON: the keys of docs/record.md, in its order, the same in every sink.
///
/// ``RecordFields`` lists the fields.
public struct RecordJSON: Sendable {
    private var cache = RecordFormCache()
    private var scratch: [UInt8] = []

    /// A writer for many records. It caches the forms that they share, up to a few megabytes.
    public init() {}

    /// Appends `record` without a line end, as the static `append` does.
    public mutating func append(_ record: LoadRecord, to bytes: inout [UInt8]) {
        let form = form(of: record)
        scratch.removeAll(keepingCapacity: true)
        Self.appendEntry(of: record, to: &scratch)
        let isFilled = scratch.withUnsafeBufferPointer { form.fill(from: $0, to: &bytes) }
        assert(isFilled, "a form has as many blanks as an entry has values")
    }

    /// Appends `record` without a line end. The text is one line of valid JSON for any bytes that the load carried.
    public static func append(_ record: LoadRecord, to bytes: inout [UInt8]) {
        var writer = RecordJSON()
        writer.append(record, to: &bytes)
    }

    /// Returns the part of `record` that it shares with others.
    public mutating func form(of record: LoadRecord) -> RecordForm {
        cache.form(of: record)
    }

    /// Appends the values for the blanks of the record's form.
    public static func appendEntry(of record: LoadRecord, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        swap(&writer.bytes, &bytes)
        RecordFields.catalog.entry(of: record, to: &writer)
        swap(&writer.bytes, &bytes)
    }
}
