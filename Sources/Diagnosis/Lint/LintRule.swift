public import ATSPolicy

/// One possible mistake in a dictionary: its data, a check, and a pair of examples that prove the check.
public struct LintRule: Sendable {
    /// The weight of a finding. `error`: the file does not have the effect that it states.
    public enum Severity: String, Sendable, CaseIterable, Comparable {
        case note, warning, error

        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// Stored and shown: never rename one, only add.
    public let id: String
    /// The usual severity; a finding may be milder or more severe, depending on the releases.
    public let severity: Severity
    public let title: String
    /// The source of the rule.
    public let source: String
    public let confidence: Confidence
    public let example: LintExample
    let check: @Sendable (LintSubject) -> [LintMark]

    init(
        _ id: String, _ severity: Severity, title: String, source: String, _ confidence: Confidence,
        example: LintExample, check: @escaping @Sendable (LintSubject) -> [LintMark]
    ) {
        self.id = id
        self.severity = severity
        self.title = title
        self.source = source
        self.confidence = confidence
        self.example = example
        self.check = check
    }
}

/// Two small dictionaries as JSON: in one the rule finds a mistake, in the other, nearly identical, it does not.
public struct LintExample: Sendable, Hashable {
    public let found: String
    public let silent: String
    /// Releases to check for; nil for the default.
    public var systems: String?
    /// The dictionary of the app, if both are those of an extension.
    public var app: String?
}

/// The result of a check, before it becomes a finding.
struct LintMark {
    var keyPath: String
    var line: Int?
    var sentence: String
    var severity: LintRule.Severity?
    var appleLog: String?
    var removal: LintRemoval?

    init(
        _ place: LintLocation, _ sentence: String, severity: LintRule.Severity? = nil, appleLog: String? = nil,
        removal: LintRemoval? = nil
    ) {
        keyPath = place.keyPath
        line = place.line
        self.sentence = sentence
        self.severity = severity
        self.appleLog = appleLog
        self.removal = removal
    }
}

/// A key in the file.
struct LintLocation {
    var keyPath: String
    var line: Int?
}
