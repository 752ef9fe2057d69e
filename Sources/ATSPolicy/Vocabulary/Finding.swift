/// The complaint of one rule about a load.
public struct Finding: Sendable, Hashable {
    public var rule: RuleID
    public var title: String
    /// The plist key that decided, or that would change the answer; nil if no key can.
    public var keyPath: String?
    public var expected: String
    public var observed: String
    public var confidence: Confidence
    /// The place where the rule is documented.
    public var source: String

    public init(
        rule: RuleID, title: String, keyPath: String?, expected: String, observed: String, confidence: Confidence,
        source: String
    ) {
        self.rule = rule
        self.title = title
        self.keyPath = keyPath
        self.expected = expected
        self.observed = observed
        self.confidence = confidence
        self.source = source
    }
}
