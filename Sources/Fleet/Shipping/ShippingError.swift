/// Why a spool is not shipped until somebody does something. Recording goes on.
public enum ShippingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another login owns the spool's row.
    case foreign(path: String)
    /// The server's row changed although nobody else has the spool: somebody ships the same loads.
    case moved

    public var description: String {
        switch self {
        case .foreign(let path):
            "the spool \(path) was shipped by another login before: ship it with that one"
        case .moved: "somebody else ships the loads of this spool at the same time"
        }
    }
}
