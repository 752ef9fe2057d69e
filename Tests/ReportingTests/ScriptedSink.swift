import Records
import Reporting
import Synchronization

/// A sink that keeps its records, and fails on request.
final class ScriptedSink: RecordSink {
    let name = "scripted"
    private let onWrite: @Sendable (Int) -> Void
    private let state = Mutex(State())

    /// The result of the next writes.
    enum Mood: Sendable {
        case fine
        case failing(String)
        /// Records this many of the batch, then fails.
        case partial(Int)
    }

    private struct State {
        var records: [LoadRecord] = []
        var mood = Mood.fine
        var writes = 0
        var isClosed = false
    }

    init(onWrite: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.onWrite = onWrite
    }

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    var records: [LoadRecord] { state.withLock { $0.records } }
    var writes: Int { state.withLock { $0.writes } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    func set(_ mood: Mood) { state.withLock { $0.mood = mood } }

    func write(_ records: [LoadRecord]) throws {
        onWrite(records.count)
        try state.withLock { state in
            state.writes += 1
            switch state.mood {
            case .fine:
                state.records += records
            case .failing(let cause):
                throw Broken(description: cause)
            case .partial(let count):
                state.records += records.prefix(count)
                state.mood = .fine
                throw PartialWrite(recorded: count, cause: "torn")
            }
        }
    }

    func close() throws {
        state.withLock { $0.isClosed = true }
    }
}
