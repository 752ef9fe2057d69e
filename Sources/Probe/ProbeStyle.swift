import Diagnosis

/// How much is told of a result, and how it is shown.
public struct ProbeStyle: Sendable {
    /// All that was seen, with the device's own lines and the directives of every server.
    public var isVerbose = false
    /// Whose directives are told besides; see ``ServerChange/servers``.
    public var server: String?
    public var isColoured = false
    /// Of a terminal, in characters; nil to break no line.
    public var width: Int?

    public init(isVerbose: Bool = false, server: String? = nil, isColoured: Bool = false, width: Int? = nil) {
        self.isVerbose = isVerbose
        self.server = server
        self.isColoured = isColoured
        self.width = width
    }

    /// Whether directives of that server are told.
    func tells(_ change: ServerChange) -> Bool { server.map { $0 == change.server } ?? isVerbose }
}
