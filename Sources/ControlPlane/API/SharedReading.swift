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
        if let error = trouble.current { return .failure(error) }
        var (connection, isAgain): (Connection?, Bool) = (nil, false)
        while true {
            do {
                let used = try self.connection(extent, isNew: isAgain)
                connection = used
                let answer = try body(used.reader)
                // What has answered is kept for the next question.
                if extent == .part { kept.give(used.reader, since: used.begin) }
                return .success(answer)
            } catch let error as StoreError where error.isOfServer {
                guard connection?.hasBroken(by: error, extent) == true else {
                    trouble.note(error, hasConnected: connection != nil)
                    return .failure(error)
                }
                (connection, isAgain) = (nil, true)
            }
        }
    }

    private struct Connection {
        let reader: StoreReader
        /// When it was made.
        let begin: ContinuousClock.Instant
        let taken = ContinuousClock.now
        var isOld = false

        /// Whether it broke while nobody used it, as when the server is started again. One that does not answer is away.
        func hasBroken(by error: StoreError, _ extent: Extent) -> Bool {
            isOld && error.isOutage && taken.duration(to: .now) < extent.patience
        }
    }

    private func connection(_ extent: Extent, isNew: Bool) throws -> Connection {
        guard !isNew, extent == .part, let old = kept.take() else {
            return Connection(reader: try open(extent.patience), begin: .now)
        }
        return Connection(reader: old.reader.anew(), begin: old.begin, isOld: true)
    }
}

/// Remembers why a server could not be asked: for a while nobody tries again, and waits.
final class TroubleMemory: Sendable {
    private let trouble = Mutex<Trouble?>(nil)

    private struct Trouble {
        let error: StoreError
        let end: ContinuousClock.Instant
    }

    /// Why nobody is to try now; nil where one may.
    var current: StoreError? { trouble.withLock(\.self).flatMap { .now < $0.end ? $0.error : nil } }

    /// - Parameter error: of the server.
    func note(_ error: StoreError, hasConnected: Bool) {
        // What one question meets says nothing of the next one, unless the connection broke.
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

    /// The shared store says no, or nobody does: this gate's own can be asked instead.
    var isOfServer: Bool {
        switch self {
        case .unreachable, .missingLibrary, .notAllowed, .notInitialised, .refused: true
        case .notADatabase, .foreignDatabase, .notAFile, .foreignTables, .damaged, .inUse, .newerVersion, .olderVersion,
            .missing, .missingFolder, .cannotOpen, .nameTaken, .notOneRecording, .otherKind, .unreadableRecord:
            false
        }
    }
}
