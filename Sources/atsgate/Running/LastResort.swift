import Foundation
import NetLoop
import Reporting

/// Ends a process whose orderly end does not come: a sink that waits for its disk or its reader may wait for ever.
enum LastResort {
    /// Ends the process with 74 once `span` is over, whatever it is doing then, unless it was called off.
    static func arm(after span: Duration) {
        let end = DispatchTime.now() + .nanoseconds(Int(clamping: span.clampedNanoseconds))
        // A thread of its own: every queue may be waiting by then.
        Thread.detachNewThread {
            guard off.wait(timeout: end) == .timedOut else {
                // Whoever else waits is told, too.
                off.signal()
                return
            }
            ConsoleWriter.standardError.write(
                "atsgate: error: something did not end in time; records may be missing\n")
            _exit(74)
        }
    }

    /// The archive is closed: reports may take as long as they need.
    static func callOff() { off.signal() }

    /// What an end may take beyond the time that loads in flight are given.
    static let grace = Duration.seconds(10)

    private static let off = DispatchSemaphore(value: 0)
}
