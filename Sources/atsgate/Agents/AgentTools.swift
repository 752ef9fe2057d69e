import Agents
import Topics

/// The tools of `atsgate mcp`. A tool is one entry: a command that only reads, its options that write no file, and the
/// words that choose JSON.
enum AgentTools {
    static let all = [
        CommandTool(
            LintCommand.self, title: "Find mistakes in an ATS dictionary",
            options: ["os", "exclude", "baseline", "fail-on", "strict", "justifications"], fixed: ["--format=json"]),
        CommandTool(
            ExplainCommand.self, title: "Explain a URL, an error, a key, a rule or a topic",
            options: ["policy", "os", "all-os", "assume", "reading"], fixed: ["--json"]),
        CommandTool(
            AuditCommand.self, title: "Audit an app: its dictionaries, its hosts, and the ruling on each",
            options: [
                "os", "fail-on", "recording", "min-coverage", "probe", "probe-limit", "timeout", "diff", "since-sdk",
                "store", "assume", "roots", "extra-ca", "connect-to", "reading",
            ], fixed: ["--format=json"], connects: true),
        CommandTool(
            ProbeCommand.self, title: "Test servers with a device's TLS handshake",
            options: [
                "policy", "os", "all-os", "assume", "recording", "store", "roots", "extra-ca", "decrypted",
                "connect-to",
                "addresses", "timeout", "jobs", "reading",
            ], fixed: ["--json"], connects: true),
        CommandTool(
            ReportCommand.self, title: "Report recorded loads",
            options: [
                "store", "recording", "all", "host", "verdict", "rule", "app", "label", "entrance", "since", "until",
                "by", "fail-on", "baseline", "policy", "redact",
            ], fixed: ["--format=json"]),
        CommandTool(
            ReplayCommand.self, title: "Judge recorded loads under another dictionary or release",
            options: ["policy", "os", "all-os", "store", "recording", "all", "app", "entrance", "reading"],
            fixed: ["--json"]),
        CommandTool(
            SuggestCommand.self, title: "Suggest the smallest dictionary for recorded loads",
            options: ["policy", "os", "all-os", "store", "recording", "all", "app", "last-resort", "reading"],
            fixed: ["--format=json"]),
        CommandTool(
            VerifyCommand.self, title: "Check that recorded loads were allowed or blocked, or that none came",
            options: [
                "expect", "within", "store", "recording", "host", "rule", "app", "label", "entrance", "since", "until",
            ], fixed: ["--json"]),
    ]

    /// Advice for a client's model.
    static let instructions = """
        atsgate judges loads by App Transport Security (ATS), as an iPhone or a Mac would. Start with explain for an \
        error code, a log line or a URL; with lint for an Info.plist or a project; with audit for an app; with probe for \
        a server. report, replay, suggest and verify read loads that atsgate proxy or atsgate run recorded. Prefer a fix on the server to an exception in \
        the dictionary. The resources are the documentation: atsgate://docs/README lists it.
        """

    /// The documentation as resources.
    static let pages = Topic.names.compactMap { name in
        Topic(name).map { page in
            let heading = page.text.split(separator: "\n").first { $0.hasPrefix("# ") }
            return AgentPage(
                name: name, title: heading.map { String($0.dropFirst(2)) } ?? name, size: page.text.utf8.count)
        }
    }
}
