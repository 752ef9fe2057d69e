import Foundation
import NetLoop
import Synchronization

/// The signals that `run` receives. They go to its command while that runs; later they end the wait for a shared store.
final class RunSignals: Sendable {
    /// The current receiver of signals.
    private enum Receiver {
        case command(ChildProcess)
        /// Signals are ignored while loads in flight finish and reports are written.
        case nobody
        case wait(end: @Sendable () -> Void)
    }

    private let aim = Mutex(Receiver.nobody)
    private let watcher = Mutex<SignalWatcher?>(nil)

    /// Passes signals on to a command until it ends.
    ///
    /// - Returns: The command's status as a shell reports it.
    func wait(for child: ChildProcess) -> Int32 {
        aim.withLock { $0 = .command(child) }
        defer { aim.withLock { $0 = .nobody } }
        // Kept after the return: a signal can be watched only once per process.
        watcher.withLock { $0 = SignalWatcher(ChildProcess.forwarded) { [weak self] in self?.received($0) } }
        return child.wait()
    }

    /// Runs `body`, and calls `end` to cut it short if a signal requests the end of the command.
    func during<Value>(_ body: () -> Value, end: @escaping @Sendable () -> Void) -> Value {
        aim.withLock { $0 = .wait(end: end) }
        defer { aim.withLock { $0 = .nobody } }
        return body()
    }

    private func received(_ number: Int32) {
        switch aim.withLock({ $0 }) {
        case .command(let child): child.forward(number)
        case .nobody: break
        case .wait(let end): if Self.ending.contains(number) { end() }
        }
    }

    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
}
