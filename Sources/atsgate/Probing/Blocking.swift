import Dispatch
import Synchronization

/// Runs asynchronous work and waits for it. Only for threads that may block, such as the main thread of a command.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    let box = OutcomeBox<Value>()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            let value = try await work()
            box.outcome.withLock { $0 = .success(value) }
        } catch {
            box.outcome.withLock { $0 = .failure(error) }
        }
        isDone.signal()
    }
    isDone.wait()
    guard let outcome = box.outcome.withLock({ $0 }) else { throw CancellationError() }
    return try outcome.get()
}

private final class OutcomeBox<Value: Sendable>: Sendable {
    let outcome = Mutex<Result<Value, any Error>?>(nil)
}
