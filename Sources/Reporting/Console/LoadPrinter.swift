public import Dispatch
import Foundation
public import Records
import Synchronization

/// Collects loads and prints them on the console. For one queue at a time.
public final class LoadPrinter: Sendable {
    private let terminal: ConsoleTerminal
    private let style: ConsoleStyle
    private let fold = Mutex(LoadFold())

    public init(_ terminal: ConsoleTerminal, style: ConsoleStyle) {
        self.terminal = terminal
        self.style = style
    }

    public func add(_ records: [LoadRecord]) {
        guard style != .none else { return }
        fold.withLock { $0.add(records) }
    }

    /// Prints the collected loads and updates the status line.
    ///
    /// - Parameter dropped: the number of loads that were dropped for lack of time.
    public func printCollected(dropped: Int = 0) {
        let line = LoadLine(
            colours: TerminalColours(isColoured: terminal.isColoured), width: terminal.width,
            secondsFromGMT: terminal.secondsFromGMT)
        let (taken, status) = fold.withLock { (taken: $0.take(), status: $0.tally.words) }
        let dropped = dropped + taken.unshown
        var text = ""
        for one in taken.lines {
            if style == .apple { text += line.log(one.load) }
            text += line.text(one.load, times: one.times, hasOtherURLs: one.hasOtherURLs)
            if one.isFirstSeen { text += line.reasons(one.load) }
        }
        if dropped > 0 { text += "          \(dropped) loads were not shown (too many at once); see the report\n" }
        guard !text.isEmpty else { return }
        terminal.output.offer(text, status: terminal.isTerminal ? status : nil)
    }

    /// The time to collect loads: until the end of the second, so that each line has all loads of its second.
    public static func untilSecondEnds() -> DispatchTimeInterval {
        let milliseconds = Int(Date().timeIntervalSince1970 * 1000) % 1000
        return .milliseconds(1000 - milliseconds + lateness)
    }

    /// The time in milliseconds that a load takes from its end to this queue.
    private static let lateness = 50

    /// Erases the status line and waits until everything is written.
    public func end() { terminal.output.endStatus() }
}
