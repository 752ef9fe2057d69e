/// An error between a gate and its shared store. Messages of libpq and of servers are printable, on one line, and
/// without the connection's secrets.
public enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libpq is not installed; the sentence names the package.
    case missingLibrary(String)
    /// No connection: no answer in time, a TLS failure, or the server rejected the user.
    case unreachable(String)
    /// The server rejected a statement. `sqlState` is one of PostgreSQL's error codes (PostgreSQL 15, appendix A), for
    /// decisions in code.
    case refused(sqlState: String, message: String)
    /// The connection was ready and is unusable now: it broke, the server did not answer in time, or sent something
    /// invalid. It is unknown whether a pending COMMIT took effect.
    case broken(String)

    public var description: String {
        switch self {
        case .missingLibrary(let sentence), .unreachable(let sentence), .broken(let sentence): sentence
        case .refused(let sqlState, let message): "\(message) (SQLSTATE \(sqlState))"
        }
    }
}
