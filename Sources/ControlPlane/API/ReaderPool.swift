import Dispatch
import Reporting
import Synchronization

/// Idle connections to a shared store, kept because a login takes longer than most answers. Each is closed after some
/// time without use, and at the latest some time after it connected.
final class ReaderPool: Sendable {
    private let state = Mutex(State())
    private let idle: Duration

    /// A connection in the pool, or taken from it.
    struct OpenReader: Sendable {
        let reader: StoreReader
        /// The time when it connected.
        let begin: ContinuousClock.Instant
        /// A number that is new each time it is returned to the pool.
        fileprivate let turn: Int
    }

    private struct State {
        var waiting: [OpenReader] = []
        var turns = 0
    }

    /// - Parameter idle: the time that an unused connection stays open.
    init(idle: Duration) {
        self.idle = idle
    }

    /// Takes the connection that was used last; nil if there is none. The caller owns it until it gives it back.
    func take() -> OpenReader? { state.withLock { $0.waiting.popLast() } }

    /// Returns a connection to the pool, unless it is too old.
    ///
    /// - Parameter begin: the time when it connected.
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
        // Released outside the lock, because closing it talks to the server.
        let unused = state.withLock { state in
            state.waiting.firstIndex { $0.turn == turn }.map { state.waiting.remove(at: $0) }
        }
        withExtendedLifetime(unused) {}
    }

    /// A limit, so that revoked rights of the login take effect and the server frees the connection's memory.
    private static let longest = Duration.seconds(600)
}
