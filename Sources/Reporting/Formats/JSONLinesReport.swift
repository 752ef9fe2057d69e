/// The stored JSON lines, unchanged.
struct JSONLinesReport: LoadRows {
    func add(_ load: LoadRow, to output: inout [UInt8]) throws(StoreError) {
        try load.append(to: &output)
        output.append(UInt8(ascii: "\n"))
    }
}
