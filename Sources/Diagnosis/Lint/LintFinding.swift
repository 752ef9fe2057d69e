public import ATSPolicy

/// One rule's complaint about one key of a dictionary.
public struct LintFinding: Sendable, Hashable {
    /// Id of the rule, for example `lint.unknown-key`.
    public let rule: String
    public internal(set) var severity: LintRule.Severity
    public let title: String
    /// Begins with `NSAppTransportSecurity`, except for keys outside of it.
    public let keyPath: String
    /// Counted from 1; nil if the format has no lines.
    public let line: Int?
    /// Counted from 1, in Unicode code points; 1 when unknown.
    public var column = 1
    /// A sentence without a full stop.
    public let sentence: String
    /// The line that Apple's own parser writes to the system log in this case. Source: Security,
    /// SecProtocolConfiguration.m; docs/law/keys.md#messages-of-the-parser.
    public let appleLog: String?
    /// The deletion that ``sentence`` proposes; nil if it proposes none.
    public let removal: LintRemoval?
    public let source: String
    public let confidence: Confidence

    init(_ mark: LintMark, by rule: LintRule) {
        self.rule = rule.id
        severity = mark.severity ?? rule.severity
        title = rule.title
        keyPath = mark.keyPath
        line = mark.line
        sentence = mark.sentence + (mark.appleLog.map { "; the system logs: \($0)" } ?? "")
        appleLog = mark.appleLog
        removal = mark.removal
        source = rule.source
        confidence = rule.confidence
    }
}

/// The findings on one dictionary, in the order of the file.
public struct LintedFile: Sendable, Hashable {
    /// The file; `ARCHIVE!ENTRY` inside an archive, `-` for standard input.
    public let path: String
    /// File name of the enclosing bundle, for example `Share.appex`; nil for a plain file.
    public let bundle: String?
    public let bundleID: String?
    /// The releases that the dictionary was checked for, for example `ios15..`.
    public let systems: String
    public var findings: [LintFinding]

    public init(path: String, bundle: String?, bundleID: String?, systems: String, findings: [LintFinding]) {
        self.path = path
        self.bundle = bundle
        self.bundleID = bundleID
        self.systems = systems
        self.findings = findings
    }

    /// Sets the column of each finding whose key occurs exactly once on its line in `text`, and removes findings that
    /// comments in `text` disable.
    public func located(in text: String) -> LintedFile {
        let columns = KeyColumns(text)
        var result = self
        for index in result.findings.indices {
            let finding = result.findings[index]
            guard let line = finding.line else { continue }
            result.findings[index].column = columns.column(of: finding.keyPath, line: line) ?? 1
        }
        result.findings = result.findings.ordered
        return result.obeying(text)
    }

    /// Removes findings that comments in `text` disable.
    public func obeying(_ text: String) -> LintedFile {
        var result = self
        var comments = LintComments(text)
        result.findings = comments.applied(to: result.findings)
        return result
    }
}
