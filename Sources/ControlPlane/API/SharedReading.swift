import Reporting
import Synchronization

/// The store that a gate shares with others, as its page reads it. Blocks; for some seconds where the server is away, and
/// then nobody tries for a while.
final class SharedReading: Sendable {
    private let open: @Sendable (Duration) throws -> StoreReader
    private let trouble = TroubleMemory()
    /// For lists. What reads all of a recording has a connection of its own: it is waited for longer, a report may go on
    /// reading after it was begun, and what was met of forms on the way is not to be kept.
    private let kept: KeptReaders

    /// - Parameters:
    ///   - idle: how long a connection is kept that nobody uses.
    ///   - open: connects, with that patience for each answer.
    init(idle: Duration, _ open: @escaping @Sendable (_ patience: Duration) throws -> StoreReader) {
        kept = KeptReaders(idle: idle)
        self.open = open
    }

    /// How much a server has to read for an answer.
    enum Extent {
        /// What a list shows.
        case part
        /// All of a recording, for a report or a judgement.
        case whole

        /// Several answers come within ``WebLimits/answer``.
        fileprivate var patience: Duration {
            switch self {
            case .part: .seconds(5)
            case .whole: .seconds(25)
            }
        }
    }

    /// - Parameter body: is given a connection that nobody else uses meanwhile; called again on another one where that was
    ///   an old one and broken.
    /// - Returns: what `body` does, or why the store does not answer that.
    /// - Throws: what else `body` throws.
    func read<Answer>(
        _ extent: Extent, _ body: (StoreReader) throws -> Answer
    ) throws -> Result<Answer, StoreError> {
        try trouble.attempt({ try connection(extent) }) { connection in
            do {
                return try ask(connection, extent, body)
            } catch StoreError.unreachable
                where connection.isOld && connection.taken.duration(to: .now) < extent.patience
            {
                // It broke while nobody used it, as when the server is started again. One that does not answer is away.
                return try ask(new(extent), extent, body)
            }
        }
    }

    private struct Connection {
        let reader: StoreReader
        /// When it was made.
        let begin: ContinuousClock.Instant
        let taken = ContinuousClock.now
        var isOld = false
    }

    private func connection(_ extent: Extent) throws -> Connection {
        guard extent == .part, let old = kept.take() else { return try new(extent) }
        return Connection(reader: old.reader.anew(), begin: old.begin, isOld: true)
    }

    private func new(_ extent: Extent) throws -> Connection {
        Connection(reader: try open(extent.patience), begin: .now)
    }

    /// What has answered is kept for the next question.
    private func ask<Answer>(
        _ connection: Connection, _ extent: Extent, _ body: (StoreReader) throws -> Answer
    ) throws -> Answer {
        let answer = try body(connection.reader)
        if extent == .part { kept.give(connection.reader, since: connection.begin) }
        return answer
    }
}

/// Remembers why a server could not be asked: for a while nobody tries again, and waits.
final class TroubleMemory: Sendable {
    private let trouble = Mutex<Trouble?>(nil)

    private struct Trouble {
        let error: StoreError
        let end: ContinuousClock.Instant
    }

    /// - Parameter open: connects.
    /// - Returns: what `body` does, or why the server does not answer that.
    /// - Throws: what else `open` and `body` throw.
    func attempt<Connection, Answer>(
        _ open: () throws -> Connection, _ body: (Connection) throws -> Answer
    ) throws -> Result<Answer, StoreError> {
        if let trouble = trouble.withLock(\.self), .now < trouble.end { return .failure(trouble.error) }
        var isOpen = false
        do {
            let connection = try open()
            isOpen = true
            return .success(try body(connection))
        } catch let error as StoreError where error.isOfServer {
            // What one question meets says nothing of the next one, unless the connection broke.
            if !isOpen || error.isOutage {
                trouble.withLock { $0 = Trouble(error: error, end: .now + Self.betweenTries) }
            }
            return .failure(error)
        }
    }

    private static let betweenTries = Duration.seconds(10)
}

extension StoreError {
    fileprivate var isOutage: Bool {
        if case .unreachable = self { return true }
        return false
    }

    /// The shared store says no, or nobody does: this gate's own can be asked instead.
    fileprivate var isOfServer: Bool {
        switch self {
        case .unreachable, .missingLibrary, .notAllowed, .notInitialised, .newerVersion, .refused: true
        default: false
        }
    }
}
