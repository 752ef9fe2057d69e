import Records

/// The records as JSON lines.
struct JSONLinesReport: LoadRows {
    private var writer = RecordJSON()

    mutating func add(_ row: LoadRow, to output: inout [UInt8]) throws(StoreError) {
        writer.append(try row.record(), to: &output)
        output.append(UInt8(ascii: "\n"))
    }
}
