/// The verdict on a load that was tried: on its handshake, or on the failure that prevented one.
public struct HandshakeVerdict: Sendable, Hashable {
    /// All findings, the deciding one first.
    public let findings: [Finding]
    /// The failure that the app would see; nil if there is none.
    public let failure: LoadFailure?
    public let remedy: Remedy?

    /// The deciding rule.
    public var rule: RuleID? { findings.first?.rule }

    public init(findings: [Finding], failure: LoadFailure?, remedy: Remedy?) {
        self.findings = findings
        self.failure = failure
        self.remedy = remedy
    }

    /// A verdict without findings.
    static let pass = HandshakeVerdict(findings: [], failure: nil, remedy: nil)
}
