/// The route of a link to its origin.
public enum OriginRoute: Sendable, Hashable {
    case direct
    /// Through a tunnel opened by a parent proxy, named as `HOST:PORT`. Equivalent to a direct connection.
    case tunnel(through: String)
    /// A parent proxy reads the requests itself, so they contain absolute URLs.
    case parent(String, authorization: String?)

    /// The parent proxy's name, for records.
    var parent: String? {
        switch self {
        case .direct: nil
        case .tunnel(let name), .parent(let name, _): name
        }
    }
}
