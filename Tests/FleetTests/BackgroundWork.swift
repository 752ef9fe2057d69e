import Foundation
import Processes
import Synchronization
import Testing

/// Work on a separate thread, and its result.
final class BackgroundWork<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value, any Error>?>(nil)

    init(_ work: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let result = Result { try work() }
            outcome.withLock { $0 = result }
        }
    }

    func value() throws -> Value {
        _ = holds(within: 60) { outcome.withLock { $0 != nil } }
        return try #require(outcome.withLock { $0 }).get()
    }
}
