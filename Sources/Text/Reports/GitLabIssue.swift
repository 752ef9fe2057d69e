/// An issue of GitLab's Code Quality report, which is a JSON array of them. Source: GitLab Docs, "Code Quality",
/// section "Code Quality report format".
public struct GitLabIssue: Sendable {
    public enum Severity: String, Sendable, Hashable {
        case info, minor, major, critical, blocker
    }

    private let check: String
    private let description: String
    private let fingerprint: String
    private let severity: Severity
    private let path: String
    private let line: Int

    /// - Parameters:
    ///   - fingerprint: identifies the issue, independent of its line.
    ///   - path: relative to the repository.
    ///   - line: counted from 1.
    public init(
        _ check: String, _ description: String, fingerprint: String, severity: Severity, path: String, line: Int?
    ) {
        self.check = check
        self.description = description
        self.fingerprint = fingerprint
        self.severity = severity
        self.path = path
        self.line = line ?? 1
    }

    /// The whole report.
    public static func report(_ issues: [GitLabIssue]) -> String {
        JSONValue.array(issues.map(\.json)).printable.text + "\n"
    }

    private var json: JSONValue {
        let lines = JSONValue.object([("begin", .number(line))])
        return .object([
            ("description", .string(description)), ("check_name", .string(check)),
            ("fingerprint", .string(fingerprint)), ("severity", .string(severity.rawValue)),
            ("location", .object([("path", .string(path)), ("lines", lines)])),
        ])
    }
}
