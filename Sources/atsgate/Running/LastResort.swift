import Foundation
import NetLoop
import Reporting

/// Ends a process that does not end in an orderly way: a sink may wait forever for its disk or its reader.
enum LastResort {
    /// Ends the process with 74 after `span`, whatever it is doing, unless ``callOff()`` is called before.
    static func arm(after span: Duration) {
        let end = DispatchTime.now() + .nanoseconds(Int(clamping: span.clampedNanoseconds))
        // A separate thread, because all queues may be blocked by then.
        Thread.detachNewThread {
            guard off.wait(timeout: end) == .timedOut else {
                // Other waiting threads must also wake up.
                off.signal()
                return
            }
            ConsoleWriter.standardError.write(
                "atsgate: error: the end took too long; records may be missing\n")
            _exit(74)
        }
    }

    /// Disarms it, once the archive is closed: reports may take as long as they need.
    static func callOff() { off.signal() }

    /// The time for the end after the time limit of loads in flight.
    static let grace = Duration.seconds(10)

    private static let off = DispatchSemaphore(value: 0)
}
