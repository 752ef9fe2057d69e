import Dispatch
public import Records
import Synchronization

/// Shows loads while they happen, one per line; similar loads of one second share a line. When a host and a rule first
/// occur together, the reason and the fix follow.
///
/// Never fails and never blocks: works on its own queue, and drops and counts lines that cannot be written in time; see
/// ``ConsoleWriter``.
public final class ConsoleSink: RecordSink {
    public let name = "console"
    public var kind: SinkKind { .console }
    private let printer: LoadPrinter
    private let queue = DispatchQueue(label: "atsgate.console.loads")
    private let state = Mutex(State())

    private struct State {
        /// Records that were accepted and not printed yet.
        var waiting = 0
        var dropped = 0
        var isScheduled = false
    }

    /// - Parameters:
    ///   - terminal: standard error by default.
    ///   - style: `none` prints nothing.
    public init(_ terminal: ConsoleTerminal = .standardError, style: ConsoleStyle = .short) {
        printer = LoadPrinter(terminal, style: style)
    }

    public func write(_ records: [LoadRecord]) {
        let order = state.withLock { state -> (isTaken: Bool, isNew: Bool) in
            guard state.waiting + records.count <= waitingLimit || state.waiting == 0 else {
                state.dropped += records.count
                return (false, false)
            }
            state.waiting += records.count
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        guard order.isTaken else { return }
        queue.async {
            self.printer.add(records)
            self.state.withLock { $0.waiting -= records.count }
        }
        if order.isNew { queue.asyncAfter(deadline: .now() + LoadPrinter.untilSecondEnds()) { self.printCollected() } }
    }

    public func close() {
        queue.sync { printCollected() }
        printer.end()
    }

    private func printCollected() {
        let dropped = state.withLock { state in
            defer {
                state.dropped = 0
                state.isScheduled = false
            }
            return state.dropped
        }
        printer.printCollected(dropped: dropped)
    }
}

/// Loads that may wait to be printed. Only references to them are kept.
private let waitingLimit = 16_384
