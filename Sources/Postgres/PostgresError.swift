/// What went wrong between a gate and its shared store. Words of libpq and of servers are printable in it, on one line,
/// and without what the connection keeps secret.
public enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libpq is not on this machine; the sentence says which package brings it.
    case missingLibrary(String)
    /// No connection stands: nobody answered in time, TLS failed, or the server does not want this user.
    case unreachable(String)
    /// The server has refused a statement. `sqlState` is one of PostgreSQL's error codes (PostgreSQL 15, appendix A), by
    /// which programs decide.
    case refused(sqlState: String, message: String)
    /// The connection stood and is of no more use: it broke, the server did not answer in time, or said what no server
    /// says. Whether a COMMIT that was under way took effect is not known.
    case broken(String)

    public var description: String {
        switch self {
        case .missingLibrary(let sentence), .unreachable(let sentence), .broken(let sentence): sentence
        case .refused(let sqlState, let message): "\(message) (SQLSTATE \(sqlState))"
        }
    }
}
