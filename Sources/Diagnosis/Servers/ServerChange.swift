public import ATSPolicy

/// How a server is told to mend something: lines of its configuration, or where to click.
public struct ServerChange: Sendable, Hashable {
    /// What heals several rules in the same way.
    public enum Topic: Sendable, Hashable, CaseIterable {
        /// Nothing new enough is spoken.
        case versions
        /// No suite with forward secrecy, or none that devices offer.
        case suites
        /// Intermediate certificates are not served.
        case chain
        /// Nothing is served over TLS.
        case cleartext
    }

    /// For example `nginx`.
    public let server: String
    public let lines: [String]
    /// From which version on, or what else it takes; empty where nothing is to be said.
    public let condition: String
    /// The public page that says so.
    public let source: String

    init(_ server: String, _ lines: [String], _ condition: String = "", source: String) {
        self.server = server
        self.lines = lines
        self.condition = condition
        self.source = source
    }

    /// Every server that has a directive for something, each once.
    public static let servers: [String] = Topic.allCases.flatMap(\.changes).map(\.server).reduce(into: []) {
        if !$0.contains($1) { $0.append($1) }
    }

    /// What heals the rules, topic by topic, each once; empty where no directive of a server does: a bad certificate is
    /// replaced, not configured.
    public static func all(for rules: [RuleID]) -> [ServerChange] {
        let topics = rules.compactMap { Topic(healing: $0) }
        return Topic.allCases.filter(topics.contains).flatMap(\.changes)
    }
}

extension ServerChange.Topic {
    /// nil where no directive heals the rule.
    public init?(healing rule: RuleID) {
        switch rule {
        case .tlsVersion, .osTLSFloor: self = .versions
        case .forwardSecrecy, .cipherSuite: self = .suites
        case .incompleteChain: self = .chain
        case .cleartextLoad: self = .cleartext
        default: return nil
        }
    }

    /// One for each server that has a directive.
    public var changes: [ServerChange] {
        switch self {
        case .versions: ServerChange.versions
        case .suites: ServerChange.suites
        case .chain: ServerChange.chain
        case .cleartext: ServerChange.cleartext
        }
    }
}
