import Dispatch
import Foundation
import Reporting
import Text

/// Says on a terminal how far long work has come: one line that is written over, from the second second on.
enum Progress {
    /// Runs `body`, which an interrupt ends with 130, and says meanwhile what `counter` counts, as in
    /// `reading: 12000 loads`.
    ///
    /// - Parameters:
    ///   - work: what is done, in a word or two.
    ///   - isShown: false where the same terminal shows what is written meanwhile.
    static func during<Answer>(
        _ work: String, of counter: WorkCounter, isShown: Bool = true, _ body: () throws -> Answer
    ) rethrows -> Answer {
        Drafts.watch()
        guard isShown, isatty(STDERR_FILENO) == 1 else { return try body() }
        let queue = DispatchQueue(label: "atsgate.progress")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let end = DispatchTime.now() + patience
        timer.schedule(deadline: end, repeating: interval)
        timer.setEventHandler {
            let words = counter.stage ?? "\(work): \(counter.loads) loads"
            StandardError.write("\ratsgate: \(words.printable)\u{1B}[K")
        }
        timer.activate()
        defer {
            timer.cancel()
            // Behind the last line that was written.
            queue.sync { if DispatchTime.now() > end { StandardError.write("\r\u{1B}[K") } }
        }
        return try body()
    }

    /// What is over by then needs no line: one second, or as many milliseconds as `ATSGATE_PROGRESS_MS` says, so that
    /// tests need no long work.
    private static var patience: DispatchTimeInterval {
        .milliseconds(ProcessInfo.processInfo.environment["ATSGATE_PROGRESS_MS"].flatMap(Int.init) ?? 1000)
    }
    private static let interval = DispatchTimeInterval.milliseconds(250)
}
