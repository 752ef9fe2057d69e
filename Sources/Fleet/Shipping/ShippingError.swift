/// Why a spool is not shipped until somebody does something. Recording goes on.
public enum ShippingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another login owns the spool's row.
    case foreign(path: String)
    /// The server's row changed although nobody else has the spool: somebody ships the same loads.
    case moved
    /// Some of its loads are there by another row.
    case elsewhere(path: String, gate: String)

    public var description: String {
        switch self {
        case .foreign(let path):
            "the spool \(path) was shipped by another login before: ship it with that one"
        case .elsewhere(let path, let gate):
            """
            loads of \(path) are in the shared store already, where the spool \(gate) brought them: it was exported from \
            that one, or made of it. None of it was shipped; atsgate recordings import brings it in as a recording of its own
            """
        case .moved: "somebody else ships the loads of this spool at the same time"
        }
    }
}
