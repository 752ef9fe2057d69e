import Synchronization

/// The progress of long work on a store, to be read from another thread.
public final class WorkCounter: Sendable {
    private let rows = Atomic(0)
    private let current = Mutex<String?>(nil)

    public init() {}

    /// Loads that were read, copied or deleted so far.
    public var loads: Int { rows.load(ordering: .relaxed) }

    /// The work that follows once all loads are counted, for example `rewriting the file`; nil before.
    public var stage: String? { current.withLock { $0 } }

    package func add(_ loads: Int = 1) { rows.add(loads, ordering: .relaxed) }

    func begin(_ stage: String) { current.withLock { $0 = stage } }
}
