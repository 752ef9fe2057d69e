import Foundation
import NetLoop
import Synchronization

/// Signals that `run` gets: its command has them as long as it is there, and the wait for a shared store ends by them.
final class RunSignals: Sendable {
    /// What a signal is for at the moment.
    private enum Aim {
        case command(ChildProcess)
        /// Loads in flight are finished, and reports written.
        case nobody
        case wait(end: @Sendable () -> Void)
    }

    private let aim = Mutex(Aim.nobody)
    private let watcher = Mutex<SignalWatcher?>(nil)

    /// Passes signals on to a command until that has ended.
    ///
    /// - Returns: its status as a shell would tell it.
    func wait(for child: ChildProcess) -> Int32 {
        aim.withLock { $0 = .command(child) }
        defer { aim.withLock { $0 = .nobody } }
        // It stays: a signal is watched once per process.
        watcher.withLock { $0 = SignalWatcher(ChildProcess.forwarded) { [weak self] in self?.received($0) } }
        return child.wait()
    }

    /// Has `end` cut `body` short when somebody wants the command to end.
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
