/// A report format with an item for each load, written as they come, with constant memory.
protocol LoadRows: Sendable {
    /// Appends the part before the first load.
    mutating func begin(_ context: ReportContext, to output: inout [UInt8])
    /// Appends one load.
    mutating func add(_ row: LoadRow, to output: inout [UInt8]) throws(StoreError)
    /// Appends the end.
    mutating func end(to output: inout [UInt8])
}

extension LoadRows {
    func begin(_ context: ReportContext, to output: inout [UInt8]) {}
    func end(to output: inout [UInt8]) {}
}
