import Dispatch
import Synchronization

/// A value that a test waits for: set once, from any thread, awaited with a deadline.
final class Fact<Value: Sendable>: Sendable {
    struct NotInTime: Error {}

    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())

    func set(_ value: Value) { settle(.success(value)) }

    func fail(_ error: any Error) { settle(.failure(error)) }

    /// Waits without blocking a thread, which a loop on `.global()` might need.
    func value(withinSeconds seconds: Int = 20) async throws -> Value {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            self?.fail(NotInTime())
        }
        return try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let known { continuation.resume(with: known) }
        }
    }

    private func settle(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }
}
