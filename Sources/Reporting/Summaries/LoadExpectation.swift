internal import Records
public import Text

/// An expectation about the loads that a filter selects.
public enum LoadExpectation: String, CaseIterable, Sendable, Hashable {
    /// At least one load, and none was blocked or failed.
    case allowed
    /// At least one load was blocked, or would have been.
    case blocked
    /// No load at all.
    case none
}

/// The result of an expectation.
public struct ExpectationAnswer: Sendable, Hashable {
    public let holds: Bool
    /// One sentence without a full stop.
    public let sentence: String
    private let hosts: [HostOutcome]

    /// True if no load matched.
    public var isEmpty: Bool { hosts.isEmpty }

    /// - Parameter hosts: the matching loads.
    public init(_ expectation: LoadExpectation, _ hosts: [HostOutcome]) {
        self.hosts = hosts
        let blocked = hosts.filter(\.isViolation)
        let failed = hosts.filter { $0.verdict == .failed }
        switch expectation {
        case .allowed:
            holds = !hosts.isEmpty && blocked.isEmpty && failed.isEmpty
            sentence = hosts.isEmpty ? Self.nothing : Self.words(blocked + failed) ?? "\(Self.count(hosts)) allowed"
        case .blocked:
            holds = !blocked.isEmpty
            sentence = hosts.isEmpty ? Self.nothing : Self.words(blocked) ?? "\(Self.count(hosts)), none blocked"
        case .none:
            holds = hosts.isEmpty
            sentence = hosts.isEmpty ? Self.nothing : Self.words(hosts) ?? Self.nothing
        }
    }

    /// `holds`, `sentence`, and `hosts` with their loads by verdict and rule.
    public var json: JSONValue {
        .object([
            ("holds", .flag(holds)), ("sentence", .string(sentence)),
            (
                "hosts",
                .array(
                    hosts.map { outcome in
                        .object([
                            ("host", .string(outcome.host)), ("verdict", .string(outcome.verdict.rawValue)),
                            ("rule", .text(outcome.rule)), ("loads", .number(outcome.loads)),
                        ])
                    })
            ),
        ])
    }

    private static let nothing = "no load matches"

    private static func count(_ hosts: [HostOutcome]) -> String { hosts.reduce(0) { $0 + $1.loads }.loads }

    /// nil for no hosts.
    private static func words(_ hosts: [HostOutcome]) -> String? {
        guard !hosts.isEmpty else { return nil }
        return hosts.map { outcome in
            let rule = outcome.rule.map { " by \($0)" } ?? ""
            return
                "\(outcome.host): \(outcome.loads.loads) \(outcome.isViolation ? "blocked" : outcome.verdict.rawValue)\(rule)"
        }.joined(separator: "; ")
    }
}
