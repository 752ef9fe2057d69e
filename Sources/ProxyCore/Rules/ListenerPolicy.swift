public import ATSPolicy

/// The dictionary and release for the clients of one listener, if they differ from those of the gate.
public struct ListenerPolicy: Sendable, Hashable {
    /// The file with the app's dictionary; nil for the gate's.
    public var policyPath: String?
    /// The release of its clients; nil for the gate's choice.
    public var system: SystemChoice?

    public init(policyPath: String? = nil, system: SystemChoice? = nil) {
        self.policyPath = policyPath
        self.system = system
    }

    /// True if the listener uses the gate's own dictionary and release.
    public var isUsual: Bool { policyPath == nil && system == nil }
}

/// The release assumed for clients.
public enum SystemChoice: Sendable, Hashable {
    case named(OSProfile)
    /// The release in each client's User-Agent.
    case guessed
}

/// A judge, and whether the User-Agent of a client may change its release.
public struct JudgedSystem: Sendable {
    public var judge: Judge
    public var source: SystemSource

    public init(judge: Judge, source: SystemSource = .named) {
        self.judge = judge
        self.source = source
    }
}
