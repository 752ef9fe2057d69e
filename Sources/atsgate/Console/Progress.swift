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
        timer.schedule(deadline: .now() + patience, repeating: interval)
        timer.setEventHandler {
            let words = counter.stage ?? "\(work): \(counter.loads) loads"
            StandardError.write("\ratsgate: \(words.printable)\u{1B}[K")
        }
        timer.activate()
        let end = DispatchTime.now() + patience
        defer {
            timer.cancel()
            // Behind the last line that was written.
            queue.sync { if DispatchTime.now() > end { StandardError.write("\r\u{1B}[K") } }
        }
        return try body()
    }

    /// What is over by then needs no line.
    private static let patience = DispatchTimeInterval.seconds(1)
    private static let interval = DispatchTimeInterval.milliseconds(250)
}
