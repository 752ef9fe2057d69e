public import Dispatch
import Foundation
public import Records
import Synchronization

/// Gathers loads and tells them in the language of the console. One queue at a time uses it.
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

    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public func add(_ stored: StoredRecord) throws(StoreError) {
        let load = try LoadView(stored)
        fold.withLock { $0.add(load) }
    }

    /// Writes what was gathered, and where loads stand.
    ///
    /// - Parameter dropped: loads that nobody had time to tell.
    public func tell(dropped: Int = 0) {
        let line = LoadLine(
            colours: TerminalColours(isColoured: terminal.isColoured), width: terminal.width,
            secondsFromGMT: terminal.secondsFromGMT)
        let (taken, status) = fold.withLock { (taken: $0.take(), status: $0.tally.words) }
        let dropped = dropped + taken.unshown
        var text = ""
        for one in taken.lines {
            if style == .apple { text += line.log(one.load) }
            text += line.text(one.load, times: one.times, hasOtherURLs: one.hasOtherURLs)
            if one.isNews { text += line.reasons(one.load) }
        }
        if dropped > 0 { text += "          \(dropped) loads were not shown: too many at once; the report has them\n" }
        guard !text.isEmpty else { return }
        terminal.output.offer(text, status: terminal.isTerminal ? status : nil)
    }

    /// How long to gather: loads are told by the second, so that each line has all of its own.
    public static func untilSecondEnds() -> DispatchTimeInterval {
        let milliseconds = Int(Date().timeIntervalSince1970 * 1000) % 1000
        return .milliseconds(1000 - milliseconds + lateness)
    }

    /// Between the end of a load and its coming here, in milliseconds.
    private static let lateness = 50

    /// Takes the status line away, and waits until all is written.
    public func end() { terminal.output.endStatus() }
}
