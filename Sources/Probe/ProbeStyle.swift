import Diagnosis

/// Detail and appearance of a result.
public struct ProbeStyle: Sendable {
    /// All facts, with the device's own lines and the directives for every server.
    public var isVerbose = false
    /// Server whose directives are added; see ``ServerChange/servers``.
    public var server: String?
    /// The exception as commands of PlistBuddy instead of XML.
    public var showsCommands = false
    public var isColoured = false
    /// Leaves out targets that are allowed.
    public var isQuiet = false
    /// Width of the terminal, in characters; nil for no wrapping.
    public var width: Int?

    public init(
        isVerbose: Bool = false, server: String? = nil, showsCommands: Bool = false, isColoured: Bool = false,
        width: Int? = nil
    ) {
        self.isVerbose = isVerbose
        self.showsCommands = showsCommands
        self.server = server
        self.isColoured = isColoured
        self.width = width
    }

    /// True if the directives of that server are shown.
    func shows(_ change: ServerChange) -> Bool { server.map { $0 == change.server } ?? isVerbose }
}
