import Records

/// A report format with an item for each load, written as they come, with constant memory.
protocol LoadRows: Sendable {
    /// True if it shows findings, the device's error or fixes.
    var isDiagnosed: Bool { get }
    /// Appends the part before the first load.
    mutating func begin(_ context: ReportContext, to output: inout [UInt8])
    /// Appends one load.
    mutating func add(_ load: LoadRecord, to output: inout [UInt8])
    /// Appends the end.
    mutating func end(to output: inout [UInt8])
}

extension LoadRows {
    var isDiagnosed: Bool { true }
    func begin(_ context: ReportContext, to output: inout [UInt8]) {}
    func end(to output: inout [UInt8]) {}
}
