import NetLoop
import Synchronization

/// The signals of a command that runs a gate. They go to the part that can act on them at that time: the child, the
/// gate, or the wait for a shared store. At other times they are ignored, so that reports are written completely.
final class RunSignals: Sendable {
    /// Receives the number of a signal.
    typealias Receiver = @Sendable (Int32) -> Void

    private let receiver = Mutex<Receiver?>(nil)
    private let watcher = Mutex<SignalWatcher?>(nil)
    private let numbers: [Int32]

    /// - Parameter numbers: the signals; they keep their usual effect until the first ``pass(to:during:)``.
    init(_ numbers: [Int32]) { self.numbers = numbers }

    /// Passes signals to `receiver` while `body` runs.
    func pass<Value>(to receiver: @escaping Receiver, during body: () throws -> Value) rethrows -> Value {
        self.receiver.withLock { $0 = receiver }
        defer { self.receiver.withLock { $0 = nil } }
        watcher.withLock { watcher in
            // Kept after the return: a signal can be watched only once per process.
            watcher = watcher ?? SignalWatcher(numbers) { [weak self] number in self?.receive(number) }
        }
        return try body()
    }

    private func receive(_ number: Int32) { receiver.withLock { $0 }?(number) }
}
