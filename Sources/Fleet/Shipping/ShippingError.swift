/// The reason why a spool cannot be shipped until the user acts. Recording continues.
public enum ShippingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another login owns the spool's row.
    case foreign(path: String)

    public var description: String {
        switch self {
        case .foreign(let path): "the spool \(path) was shipped by another login before: use that login"
        }
    }
}
