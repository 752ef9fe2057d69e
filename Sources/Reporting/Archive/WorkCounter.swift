import Synchronization

/// How far long work on a store has come, for somebody who looks now and then from another thread.
public final class WorkCounter: Sendable {
    private let rows = Atomic(0)
    private let current = Mutex<String?>(nil)

    public init() {}

    /// Loads that were read, copied or removed so far.
    public var loads: Int { rows.load(ordering: .relaxed) }

    /// What is done once all loads are, as in `writing the file anew`; nil before.
    public var stage: String? { current.withLock { $0 } }

    package func add(_ loads: Int = 1) { rows.add(loads, ordering: .relaxed) }

    func begin(_ stage: String) { current.withLock { $0 = stage } }
}
