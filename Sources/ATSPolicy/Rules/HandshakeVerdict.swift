/// What the law says about a load once it was tried: about its handshake, or about what stopped it before.
public struct HandshakeVerdict: Sendable, Hashable {
    /// Every complaint, the deciding one first.
    public let findings: [Finding]
    /// What the app would meet; nil when nothing is wrong.
    public let failure: LoadFailure?
    public let remedy: Remedy?

    /// The deciding rule.
    public var rule: RuleID? { findings.first?.rule }

    public init(findings: [Finding], failure: LoadFailure?, remedy: Remedy?) {
        self.findings = findings
        self.failure = failure
        self.remedy = remedy
    }

    /// Nothing to complain about.
    static let pass = HandshakeVerdict(findings: [], failure: nil, remedy: nil)
}
