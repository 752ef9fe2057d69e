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

    var current: Value? { state.withLock { try? $0.result?.get() } }

    /// Waits without blocking a thread, which a loop on `.global()` might need.
    func value(within seconds: Int = 20) async throws -> Value {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            self?.settle(.failure(NotInTime()))
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

extension Fact where Value == Bool {
    func set() { set(true) }
}

/// A list that several threads add to; its fact is set when it has the wanted length.
final class Tally<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    private let wanted: Int
    let complete = Fact<[Element]>()

    init(wanted: Int) { self.wanted = wanted }

    func add(_ element: Element) {
        let all = elements.withLock { list in
            list.append(element)
            return list
        }
        if all.count == wanted { complete.set(all) }
    }

    var current: [Element] { elements.withLock { $0 } }
}
