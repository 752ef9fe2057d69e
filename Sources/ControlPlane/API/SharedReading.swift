import Dispatch
import Reporting
import Synchronization

/// The page's access to the store that gates share. Blocks, for some seconds if the server is unreachable; after that,
/// no attempts are made for a while.
final class SharedReading: Sendable {
    private let open: @Sendable (Duration) throws -> StoreReader
    private let trouble = RecentFailure()
    /// Connections for lists. Reading a whole recording uses a separate connection with a longer timeout. A report may
    /// continue to read after its first part, and the rows that it reads should not stay in memory.
    private let kept: ReaderPool

    /// - Parameters:
    ///   - idle: the time that an unused connection stays open.
    ///   - open: connects, with a timeout for each answer of the server.
    init(idle: Duration, _ open: @escaping @Sendable (_ timeout: Duration) throws -> StoreReader) {
        kept = ReaderPool(idle: idle)
        self.open = open
    }

    /// The amount of data that a server reads for an answer.
    enum Extent {
        /// The rows of a list.
        case part
        /// All of a recording, for a report or a judgement.
        case whole

        /// The timeout for one answer of the server. Several fit into ``WebLimits/answer``.
        fileprivate var timeout: Duration {
            switch self {
            case .part: .seconds(5)
            case .whole: .seconds(25)
            }
        }
    }

    /// Runs `body` on a connection.
    ///
    /// - Parameter body: has exclusive use of the connection; called again on a new one if an old one was broken.
    /// - Returns: the result of `body`, or the reason why the store cannot be read.
    /// - Throws: any other error of `body`.
    func read<Answer>(
        _ extent: Extent, _ body: (StoreReader) throws -> Answer
    ) throws -> Result<Answer, StoreError> {
        if let error = trouble.current { return .failure(error) }
        var (connection, isAgain): (Connection?, Bool) = (nil, false)
        while true {
            do {
                let used = try self.connection(extent, isNew: isAgain)
                connection = used
                let answer = try body(used.reader)
                // A working connection is kept for the next answer.
                if extent == .part { kept.give(used.reader, since: used.begin) }
                return .success(answer)
            } catch let error as StoreError where error.isOfServer {
                guard connection?.wasStale(by: error, extent) == true else {
                    trouble.note(error, hasConnected: connection != nil)
                    return .failure(error)
                }
                (connection, isAgain) = (nil, true)
            }
        }
    }

    private struct Connection {
        let reader: StoreReader
        /// The time when it connected.
        let begin: ContinuousClock.Instant
        let taken = ContinuousClock.now
        var isOld = false

        /// True if it broke while it was idle, for example because the server was restarted. A connection that times
        /// out means that the server is unreachable.
        func wasStale(by error: StoreError, _ extent: Extent) -> Bool {
            isOld && error.isOutage && taken.duration(to: .now) < extent.timeout
        }
    }

    private func connection(_ extent: Extent, isNew: Bool) throws -> Connection {
        guard !isNew, extent == .part, let old = kept.take() else {
            return Connection(reader: try open(extent.timeout), begin: .now)
        }
        return Connection(reader: old.reader, begin: old.begin, isOld: true)
    }
}

/// Remembers why a server could not be read, so that further attempts are skipped for a while instead of waiting.
final class RecentFailure: Sendable {
    private let trouble = Mutex<Trouble?>(nil)

    private struct Trouble {
        let error: StoreError
        let end: ContinuousClock.Instant
    }

    /// The reason for skipping attempts; nil if an attempt may be made.
    var current: StoreError? { trouble.withLock(\.self).flatMap { .now < $0.end ? $0.error : nil } }

    /// - Parameter error: an error of the server.
    func note(_ error: StoreError, hasConnected: Bool) {
        // An error of one query does not predict the next one, unless the connection broke.
        guard !hasConnected || error.isOutage else { return }
        trouble.withLock { $0 = Trouble(error: error, end: .now + Self.betweenTries) }
    }

    private static let betweenTries = Duration.seconds(10)
}

extension StoreError {
    fileprivate var isOutage: Bool {
        if case .unreachable = self { return true }
        return false
    }

    /// True if the shared store refused or could not be reached, so that this gate's own store can answer instead.
    var isOfServer: Bool {
        switch self {
        case .unreachable, .missingLibrary, .notAllowed, .notInitialised, .refused: true
        case .notADatabase, .foreignDatabase, .notAFile, .foreignTables, .damaged, .inUse, .otherVersion,
            .missing, .missingFolder, .cannotOpen, .nameTaken, .notOneRecording, .otherKind, .badLine,
            .unreadableRecord:
            false
        }
    }
}

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
