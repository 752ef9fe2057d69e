public import Records

/// Tells people what happened while it happens: first a device's own lines, then one line that explains them.
///
/// A console that cannot be written to is no loss of records, so this sink never fails.
public final class ConsoleSink: RecordSink {
    public let name = "console"
    private let line: LoadLine
    private let output: DescriptorWriter
    private let isVerbose: Bool

    /// - Parameters:
    ///   - descriptor: standard error unless told otherwise; stays open.
    ///   - isVerbose: one short line for loads that were allowed, too.
    ///   - isColoured: the caller knows about NO_COLOR and terminals.
    public init(descriptor: Int32 = 2, isVerbose: Bool = false, isColoured: Bool = false) {
        line = LoadLine(paint: Paint(isColoured: isColoured))
        output = DescriptorWriter(descriptor: descriptor)
        self.isVerbose = isVerbose
    }

    public func write(_ records: [LoadRecord]) {
        var text = ""
        for record in records {
            switch record.verdict {
            case .blocked, .wouldBlock, .failed: text += line.trouble(record)
            case .allowed, .outside: if isVerbose { text += line.pass(record) }
            }
        }
        guard !text.isEmpty else { return }
        try? output.write(text.utf8)
    }

    public func close() {}
}
