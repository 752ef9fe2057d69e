public import ATSPolicy
import Text

/// A fix on a server: lines of its configuration, or a step in its console.
public struct ServerChange: Sendable, Hashable {
    /// A problem that has the same fix for several rules.
    public enum Topic: Sendable, Hashable, CaseIterable {
        /// The server's TLS versions are too old.
        case versions
        /// No suite with forward secrecy, or none that devices offer.
        case suites
        /// The server does not send intermediate certificates.
        case chain
        /// The server does not offer TLS.
        case cleartext
        /// The certificate must be replaced.
        case certificate
        /// The certificate must be replaced by one with another name, purpose or lifetime.
        case reissue
    }

    /// For example `nginx`.
    public let server: String
    public let lines: [String]
    /// The version, or another requirement; empty if there is none.
    public let condition: String
    /// The public page that documents the directive.
    public let source: String

    init(_ server: String, _ lines: [String], _ condition: String = "", source: String) {
        self.server = server
        self.lines = lines
        self.condition = condition
        self.source = source
    }

    /// Every server with a directive for some topic, each once.
    public static let servers: [String] = Topic.allCases.flatMap(\.changes).map(\.server).reduce(into: []) {
        if !$0.contains($1) { $0.append($1) }
    }

    /// The fixes for the rules, topic by topic, each once. Empty if no directive helps.
    public static func all(for rules: [RuleID]) -> [ServerChange] {
        var topics = rules.compactMap { Topic(healing: $0) }
        if topics.contains(.reissue) { topics.removeAll { $0 == .certificate } }
        return Topic.allCases.filter(topics.contains).flatMap(\.changes)
    }

    /// The lines with the name or address of a host.
    public func lines(for host: String) -> [String] {
        let kind = IPAddress(host) == nil ? "DNS" : "IP"
        return lines.map { $0.replacing("DNS:HOST", with: "\(kind):\(host)").replacing("CN=HOST", with: "CN=\(host)") }
    }

    var json: JSONValue {
        .object([
            ("server", .string(server)), ("lines", .texts(lines)), ("condition", .string(condition)),
            ("source", .string(source)),
        ])
    }
}

extension ServerChange.Topic {
    /// nil if no directive fixes the rule.
    public init?(healing rule: RuleID) {
        switch rule {
        case .tlsVersion, .osTLSFloor: self = .versions
        case .forwardSecrecy, .cipherSuite: self = .suites
        case .incompleteChain, .unknownRoot, .invalidChain: self = .chain
        case .cleartextLoad: self = .cleartext
        case .selfSigned, .untrustedRoot, .distrustedRoot, .rootKey, .expired, .notYetValid, .revoked, .hostName,
            .keySize, .signatureHash, .trustKeySize, .trustSignatureHash, .certificateTransparency,
            .atsCertificateTransparency:
            self = .certificate
        case .noSAN, .serverAuthEKU, .validityPeriod: self = .reissue
        default: return nil
        }
    }

    /// One fix for each server that has a directive.
    public var changes: [ServerChange] {
        switch self {
        case .versions: ServerChange.versions
        case .suites: ServerChange.suites
        case .chain: ServerChange.chain
        case .cleartext: ServerChange.cleartext
        case .certificate: ServerChange.certificate
        case .reissue: ServerChange.reissue
        }
    }
}
