import Dispatch
import Reporting
import Synchronization

/// Connections with a shared store that have answered and wait for the next question: to log in takes longer than most
/// answers. Each is closed when nobody has used it for a while, and some time after it was made.
final class KeptReaders: Sendable {
    private let state = Mutex(State())
    private let idle: Duration

    /// One that waits, or was taken.
    struct OpenReader: Sendable {
        let reader: StoreReader
        /// When it connected.
        let begin: ContinuousClock.Instant
        /// Which time of being given back it was.
        fileprivate let turn: Int
    }

    private struct State {
        var waiting: [OpenReader] = []
        var turns = 0
    }

    /// - Parameter idle: how long one is kept that nobody uses.
    init(idle: Duration) {
        self.idle = idle
    }

    /// The one that was used last; nil for none. Nobody else has it until it is given back.
    func take() -> OpenReader? { state.withLock { $0.waiting.popLast() } }

    /// - Parameter begin: when it connected.
    func give(_ reader: StoreReader, since begin: ContinuousClock.Instant) {
        guard begin.duration(to: .now) < Self.longest else { return }
        let turn = state.withLock { state in
            state.turns += 1
            state.waiting.append(OpenReader(reader: reader, begin: begin, turn: state.turns))
            return state.turns
        }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + idle / .seconds(1)) { [weak self] in
            self?.close(unusedSince: turn)
        }
    }

    private func close(unusedSince turn: Int) {
        // It says farewell to the server when nobody holds the lock any more.
        let unused = state.withLock { state in
            state.waiting.firstIndex { $0.turn == turn }.map { state.waiting.remove(at: $0) }
        }
        withExtendedLifetime(unused) {}
    }

    /// Rights that were taken from its login, and memory that the server keeps for it, do not outlive it.
    private static let longest = Duration.seconds(600)
}
