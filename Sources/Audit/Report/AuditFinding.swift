public import ATSPolicy
public import Diagnosis

/// One problem of an app: a finding of lint, or one of an audit's own rules.
public struct AuditFinding: Sendable, Hashable {
    /// Id of the rule, such as `lint.arbitrary-loads` or `audit.cleartext-allowed`.
    public let rule: String
    public let severity: LintRule.Severity
    /// A sentence without a full stop.
    public let sentence: String
    /// Key path or URL.
    public let subject: String
    /// The file, with its line if it has lines.
    public let file: String
    public let line: Int?
    public let source: String
    public let confidence: Confidence

    init(_ finding: LintFinding, in file: String) {
        rule = finding.rule
        severity = finding.severity
        sentence = finding.sentence
        subject = finding.keyPath
        self.file = file
        line = finding.line
        source = finding.source
        confidence = finding.confidence
    }

    init(_ rule: AuditRule, _ sentence: String, about subject: String, in file: String) {
        self.rule = rule.rawValue
        severity = rule.severity
        self.sentence = sentence
        self.subject = subject
        self.file = file
        line = nil
        source = rule.source
        confidence = rule.confidence
    }
}

/// The rules of an audit that are not about the dictionary alone. Ids are stored and shown: never rename one, only add.
public enum AuditRule: String, Sendable, Hashable, CaseIterable {
    /// An http URL in the app that ATS would block.
    case cleartextBlocked = "audit.cleartext-blocked"
    /// An http URL in the app that ATS allows, to a host that is not local.
    case cleartextAllowed = "audit.cleartext-allowed"
    case unreadable = "audit.unread"
    /// An http URL that no load of the recording used.
    case neverLoaded = "audit.never-loaded"
    /// A host that a recording has, and the app's files do not.
    case notInApp = "audit.not-in-app"
    /// Fewer hosts were loaded than `--min-coverage` requires.
    case coverage = "audit.coverage"
    /// A server that `--probe` found to fail.
    case probe = "audit.probe"

    public var title: String {
        switch self {
        case .cleartextBlocked: "The app contains an http URL that ATS blocks"
        case .cleartextAllowed: "The app contains an http URL that its dictionary allows"
        case .unreadable: "A part of the app was not read"
        case .neverLoaded: "An http URL of the app was not loaded in the recording"
        case .notInApp: "A host was loaded that is not in the app's files"
        case .coverage: "The recording covers too few hosts of the app"
        case .probe: "A device could not load from a host of the app"
        }
    }

    public var severity: LintRule.Severity {
        switch self {
        // A string is not a load, so most are remarks.
        case .cleartextBlocked, .unreadable, .neverLoaded, .notInApp: .note
        case .cleartextAllowed, .probe: .warning
        case .coverage: .error
        }
    }

    var source: String {
        switch self {
        case .cleartextBlocked, .cleartextAllowed:
            "Security, SecProtocolConfiguration.m; docs/law/rulings.md#order-of-decisions"
        case .unreadable: "docs/audit.md#files-that-are-read"
        case .neverLoaded, .notInApp, .coverage: "docs/audit.md#coverage"
        case .probe: "docs/probe.md"
        }
    }

    /// That a string is loaded at all is our inference.
    var confidence: Confidence { .inferred }
}
