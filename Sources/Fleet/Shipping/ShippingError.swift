/// Why a spool is not shipped until somebody does something. Recording goes on.
public enum ShippingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the server has of the spool is what is in the file.
    case noCopy(path: String)
    /// Another login owns the spool's row.
    case foreign(path: String)
    /// The server's row changed although nobody else has the spool: somebody ships the same loads.
    case moved

    /// It is the file that is wrong; otherwise somebody else has to end, or to ship it.
    public var isBadInput: Bool {
        switch self {
        case .noCopy: true
        case .foreign, .moved: false
        }
    }

    public var description: String {
        switch self {
        case .noCopy(let path): "\(path) is no copy: what the shared store has of it is what is in the file"
        case .foreign(let path):
            "the spool \(path) was shipped by another login before: ship it with that one"
        case .moved: "somebody else ships the loads of this spool at the same time"
        }
    }
}
