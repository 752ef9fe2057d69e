import Dispatch
import Synchronization

/// A value that a test waits for: set once, from any thread, awaited with a deadline.
public final class Fact<Value: Sendable>: Sendable {
    public struct NotInTime: Error {
        public init() {}
    }

    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())

    public init() {}

    public func set(_ value: Value) { settle(.success(value)) }

    public func fail(_ error: any Error) { settle(.failure(error)) }

    public var current: Value? { state.withLock { try? $0.result?.get() } }

    /// Waits without blocking a thread, which a loop on `.global()` might need.
    public func value(within seconds: Int = 20) async throws -> Value {
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

extension Fact where Value == Bool {
    public func set() { set(true) }
}

/// A list that several threads add to; its fact is set when it has the wanted length.
public final class Tally<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    private let wanted: Int
    public let complete = Fact<[Element]>()

    public init(wanted: Int) { self.wanted = wanted }

    public func add(_ element: Element) {
        let all = elements.withLock { list in
            list.append(element)
            return list
        }
        if all.count == wanted { complete.set(all) }
    }

    public var current: [Element] { elements.withLock { $0 } }
}
