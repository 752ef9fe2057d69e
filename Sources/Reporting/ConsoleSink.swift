public import Records

/// Tells people what happened while it happens: first a device's own lines, then one line that explains them.
///
/// A console that cannot be written to is no loss of records, so this sink neither fails nor waits: see
/// ``ConsoleWriter``.
public final class ConsoleSink: RecordSink {
    public let name = "console"
    private let line: LoadLine
    private let output: ConsoleWriter
    private let isVerbose: Bool

    /// - Parameters:
    ///   - output: standard error unless told otherwise.
    ///   - isVerbose: one short line for loads that were allowed, too.
    ///   - isColoured: the caller knows about NO_COLOR and terminals.
    public init(output: ConsoleWriter = .standardError, isVerbose: Bool = false, isColoured: Bool = false) {
        line = LoadLine(paint: Paint(isColoured: isColoured))
        self.output = output
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
        output.offer(text)
    }

    public func close() { output.flush() }
}
