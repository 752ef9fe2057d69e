import Records

/// The records as JSON lines.
struct JSONLinesReport: LoadRows {
    private var writer = RecordJSON()

    mutating func add(_ load: LoadRecord, to output: inout [UInt8]) {
        writer.append(load, to: &output)
        output.append(UInt8(ascii: "\n"))
    }
}
