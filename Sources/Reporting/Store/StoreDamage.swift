import Synchronization

/// The parts of a store that a reader could not read and left out. ``StoreCheck`` lists all of them.
public final class StoreDamage: Sendable {
    fileprivate struct State {
        /// Numbers of loads, so that a load that is read twice counts once.
        var loads: Set<Int64> = []
        var parts: Set<String> = []
        /// The first few descriptions.
        var examples: [String] = []
    }

    private let state = Mutex(State())
    /// Counts the loads that were read.
    package let counter: WorkCounter

    init(counter: WorkCounter = WorkCounter()) {
        self.counter = counter
    }

    /// True if everything was readable so far.
    public var isEmpty: Bool { state.withLock { $0.loads.isEmpty && $0.parts.isEmpty } }

    /// The number of loads left out; not counted beyond ``limit``.
    public var loads: Int { state.withLock { $0.loads.count } }

    /// The first few descriptions: `record 01K...: it does not fit its form`.
    public var examples: [String] { state.withLock(\.examples) }

    /// One sentence; nil if everything could be read.
    public var summary: String? {
        state.withLock { state in
            var words: [String] = []
            let (loads, parts) = (state.loads.count, state.parts.count)
            if loads > 0 { words.append("\(loads)\(loads < Self.limit ? "" : " or more") loads") }
            if parts > 0 { words.append("\(parts)\(parts < Self.limit ? "" : " or more") other parts") }
            return words.isEmpty ? nil : "unreadable and left out: \(words.joined(separator: ", "))"
        }
    }

    /// - Parameter seq: the load's row.
    package func note(load seq: Int64, _ words: String) {
        state.withLock { state in
            if state.loads.count < Self.limit, state.loads.insert(seq).inserted { state.keep(words) }
        }
    }

    /// - Parameter words: a description that names the part.
    package func note(part words: String) {
        state.withLock { state in
            if state.parts.count < Self.limit, state.parts.insert(words).inserted { state.keep(words) }
        }
    }

    /// The highest number that is counted.
    public static let limit = 65_536
}

extension StoreDamage.State {
    fileprivate mutating func keep(_ words: String) {
        if examples.count < examplesKept { examples.append(words) }
    }
}

private let examplesKept = 5
