import Dispatch
import Foundation
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

/// The destination of lines for the user, and its abilities.
public struct ConsoleTerminal: Sendable {
    let output: ConsoleWriter
    public let isColoured: Bool
    /// True if a line can be erased, as a status line requires.
    let isTerminal: Bool
    private let descriptor: Int32
    private let fixedWidth: Int?
    /// COLUMNS of the environment.
    private let columns: Int?
    let secondsFromGMT: Int

    public static let standardError = ConsoleTerminal(.standardError, descriptor: STDERR_FILENO)

    /// Detects the abilities: a terminal that is not dumb has a status line, and colours unless NO_COLOR (no-color.org)
    /// is set.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor of `output`.
    ///   - environment: the process's own by default.
    public init(
        _ output: ConsoleWriter, descriptor: Int32,
        environment: [String: String]? = nil
    ) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        self.output = output
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1 && environment["TERM"] != "dumb"
        isColoured = isTerminal && environment["NO_COLOR", default: ""].isEmpty
        fixedWidth = nil
        columns = environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
        secondsFromGMT = TimeZone.current.secondsFromGMT()
    }

    /// - Parameter width: in characters; nil if this is not a terminal.
    public init(_ output: ConsoleWriter, isColoured: Bool = false, width: Int? = nil, secondsFromGMT: Int = 0) {
        self.output = output
        self.isColoured = isColoured
        isTerminal = width != nil
        descriptor = -1
        fixedWidth = width
        columns = nil
        self.secondsFromGMT = secondsFromGMT
    }

    /// The current width in characters: COLUMNS if it is set, otherwise what the terminal reports, otherwise 80; nil if
    /// this is not a terminal. Source: POSIX.1-2024, Base Definitions, section 8.3.
    public var width: Int? {
        guard isTerminal, fixedWidth == nil else { return fixedWidth }
        if let columns { return columns }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Self.usualWidth }
        return Int(size.ws_col)
    }

    /// Of a terminal that does not report its width.
    private static let usualWidth = 80
}
