/// What a shared store is told of a gate.
public struct GateDescription: Sendable, Hashable {
    /// The machine's name.
    public var host: String
    /// What its clients are called; nil for nothing.
    public var label: String?
    /// Of atsgate.
    public var version: String
    /// The name of its dictionary; nil for the secure defaults.
    public var policy: String?
    /// It records into the spool; false for who only brings it home, of whom the server is told where it knows no gate.
    public var isRecording = true

    public init(host: String, label: String? = nil, version: String, policy: String? = nil) {
        self.host = host.withoutNUL
        self.label = label?.withoutNUL
        self.version = version.withoutNUL
        self.policy = policy?.withoutNUL
    }
}

extension String {
    /// PostgreSQL keeps no U+0000 in a text.
    fileprivate var withoutNUL: String { utf8.contains(0) ? replacing("\0", with: "") : self }
}
