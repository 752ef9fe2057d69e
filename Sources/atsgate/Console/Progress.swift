import Dispatch
import Foundation
import Reporting
import Text

/// Shows the progress of long work on a terminal, in one line that is overwritten. The line appears after one second.
enum Progress {
    /// Runs `body` and shows the value of `counter`, as in `reading: 12000 loads`. An interrupt exits with 130.
    ///
    /// - Parameters:
    ///   - work: one or two words for the work.
    ///   - isShown: false if `body` writes to the same terminal.
    static func during<Answer>(
        _ work: String, of counter: WorkCounter, isShown: Bool = true, _ body: () throws -> Answer
    ) rethrows -> Answer {
        Drafts.watch()
        guard isShown, isatty(STDERR_FILENO) == 1 else { return try body() }
        let queue = DispatchQueue(label: "atsgate.progress")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let end = DispatchTime.now() + timeout
        timer.schedule(deadline: end, repeating: interval)
        timer.setEventHandler {
            let words = counter.stage ?? "\(work): \(counter.loads) loads"
            StandardError.write("\ratsgate: \(words.printable)\u{1B}[K")
        }
        timer.activate()
        defer {
            timer.cancel()
            // After the last line of progress.
            queue.sync { if DispatchTime.now() > end { StandardError.write("\r\u{1B}[K") } }
        }
        return try body()
    }

    /// The delay of the first line: one second, or `ATSGATE_PROGRESS_MS` milliseconds, so that tests need no long work.
    private static var timeout: DispatchTimeInterval {
        .milliseconds(ProcessInfo.processInfo.environment["ATSGATE_PROGRESS_MS"].flatMap(Int.init) ?? 1000)
    }
    private static let interval = DispatchTimeInterval.milliseconds(250)
}

/// The progress on a terminal, in one line that is overwritten.
final class ProbeProgress: Sendable {
    private let isShown = isatty(STDERR_FILENO) == 1

    /// - Parameter name: the item that was finished last.
    func show(_ done: Int, of all: Int, _ name: String) {
        guard isShown, all > 1 else { return }
        StandardError.write("\r\(done)/\(all) \(name.printable.prefix(60))\u{1B}[K")
    }

    /// Clears the line before other output.
    func clear() {
        if isShown { StandardError.write("\r\u{1B}[K") }
    }
}
