import Foundation
import Reporting
import Synchronization

/// Ends a process whose orderly end does not come: a sink that waits for its disk or its reader may wait for ever.
enum LastResort {
    /// Ends the process with 74 once `span` is over, whatever it is doing then, unless it was called off.
    static func arm(after span: Duration) {
        let (seconds, attoseconds) = span.components
        let wait = Double(seconds) + Double(attoseconds) * 1e-18
        // A thread of its own: every queue may be waiting by then.
        Thread.detachNewThread {
            // There is no event to wait for: time alone is what this thread is for.
            Thread.sleep(forTimeInterval: wait)
            guard !isOff.load(ordering: .relaxed) else { return }
            ConsoleWriter.standardError.write(
                "atsgate: error: something did not end in time; records may be missing\n")
            _exit(74)
        }
    }

    /// The archive is closed: reports may take as long as they need.
    static func callOff() { isOff.store(true, ordering: .relaxed) }

    /// What an end may take beyond the time that loads in flight are given.
    static let grace = Duration.seconds(10)

    private static let isOff = Atomic(false)
}
