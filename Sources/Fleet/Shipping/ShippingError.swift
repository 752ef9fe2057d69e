/// The reason why a spool cannot be shipped until the user acts. Recording continues.
public enum ShippingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another login owns the spool's row.
    case foreign(path: String)
    /// The server's row changed although this process holds the spool: another one ships the same loads.
    case moved
    /// Some of its loads are on the server under another row.
    case elsewhere(path: String, gate: String)

    public var description: String {
        switch self {
        case .foreign(let path):
            "the spool \(path) was shipped by another login before: use that login"
        case .elsewhere(let path, let gate):
            """
            loads of \(path) are already in the shared store, shipped from the spool \(gate): the file is an export or \
            a copy of that one. Nothing was shipped; to add it as a separate recording, run atsgate recordings import
            """
        case .moved: "another process is shipping the loads of this spool"
        }
    }
}
