public import ATSPolicy

/// What the clients of one listener are judged under, where that is not what holds for the rest of the gate.
public struct ListenerLaw: Sendable, Hashable {
    /// Their app's declaration; nil for the gate's.
    public var policyPath: String?
    /// Their system; nil for the gate's choice.
    public var system: SystemChoice?

    public init(policyPath: String? = nil, system: SystemChoice? = nil) {
        self.policyPath = policyPath
        self.system = system
    }

    /// Nothing differs.
    public var isUsual: Bool { policyPath == nil && system == nil }
}

/// Which system clients are taken for.
public enum SystemChoice: Sendable, Hashable {
    case named(OSProfile)
    /// Each by its User-Agent.
    case guessed
}

/// A judge, and whether clients may change its system by what they say.
public struct JudgedSystem: Sendable {
    public var judge: Judge
    public var source: SystemSource

    public init(judge: Judge, source: SystemSource = .named) {
        self.judge = judge
        self.source = source
    }
}
