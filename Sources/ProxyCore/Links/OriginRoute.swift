/// How a link reaches its origin.
public enum OriginRoute: Sendable, Hashable {
    case direct
    /// Over a tunnel that a parent proxy, named as `HOST:PORT`, has opened: as good as direct.
    case tunnel(through: String)
    /// A parent proxy reads the requests itself, so it is asked for whole URLs.
    case parent(String, authorization: String?)

    /// The parent proxy's name, for records.
    var parent: String? {
        switch self {
        case .direct: nil
        case .tunnel(let name), .parent(let name, _): name
        }
    }
}
