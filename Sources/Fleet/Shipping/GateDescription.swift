/// A gate's description in a shared store.
public struct GateDescription: Sendable, Hashable {
    /// The machine's name.
    public var host: String
    /// The label of its clients; nil if it has none.
    public var label: String?
    /// The version of atsgate.
    public var version: String
    /// The name of its dictionary; nil for the secure defaults.
    public var policy: String?
    /// True if the gate records into the spool. False for a program that only ships it, whose description is used only
    /// if the server does not know the gate.
    public var isRecording = true

    public init(host: String, label: String? = nil, version: String, policy: String? = nil) {
        self.host = host.withoutNUL
        self.label = label?.withoutNUL
        self.version = version.withoutNUL
        self.policy = policy?.withoutNUL
    }
}

extension String {
    /// The text without U+0000, which PostgreSQL cannot store.
    fileprivate var withoutNUL: String { utf8.contains(0) ? replacing("\0", with: "") : self }
}
