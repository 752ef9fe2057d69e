import Reporting
import Synchronization

/// The store that a gate shares with others, as its page reads it. Blocks; for some seconds where the server is away, and
/// then nobody tries for a while.
final class SharedReading: Sendable {
    private let open: @Sendable () throws -> StoreReader
    private let trouble = Mutex<Trouble?>(nil)

    private struct Trouble {
        let error: StoreError
        let end: ContinuousClock.Instant
    }

    /// - Parameter open: connects.
    init(_ open: @escaping @Sendable () throws -> StoreReader) { self.open = open }

    /// - Parameter body: is given a connection of its own.
    /// - Returns: what `body` does, or why the store cannot be read.
    /// - Throws: what else `body` throws.
    func read<Answer>(_ body: (StoreReader) throws -> Answer) throws -> Result<Answer, StoreError> {
        if let trouble = trouble.withLock(\.self), .now < trouble.end { return .failure(trouble.error) }
        do {
            return .success(try body(open()))
        } catch let error as StoreError where error.isOfServer {
            trouble.withLock { $0 = Trouble(error: error, end: .now + Self.betweenTries) }
            return .failure(error)
        }
    }

    private static let betweenTries = Duration.seconds(10)
}

extension StoreError {
    /// The server, or what is needed to reach it, is to blame and not what was asked.
    fileprivate var isOfServer: Bool {
        switch self {
        case .unreachable, .missingLibrary, .notAllowed, .notInitialised, .newerVersion, .refused: true
        default: false
        }
    }
}
