/// The formats for CI systems. Raw values are those of `--format`.
public enum CIFormat: String, Sendable, Hashable, CaseIterable {
    case junit, sarif, github, gitlab
}

/// The findings of a command, to be written in any ``CIFormat``.
public struct CIReport: Sendable {
    /// Something that was checked, with its findings. It passes without any.
    public struct Test: Sendable {
        let name: String
        let file: (path: String, line: Int?)?
        let milliseconds: Int64?
        let findings: [CIFinding]
        let skipped: String?

        /// - Parameters:
        ///   - file: the file that it is about, with a line if it is known.
        ///   - milliseconds: the duration; nil if it is unknown.
        ///   - findings: the worst first.
        ///   - skipped: the reason why nothing was judged; nil if it was.
        public init(
            _ name: String, at file: (path: String, line: Int?)? = nil, milliseconds: Int64? = nil,
            _ findings: [CIFinding], skipped: String? = nil
        ) {
            self.name = name
            self.file = file
            self.milliseconds = milliseconds
            self.findings = findings
            self.skipped = skipped
        }
    }

    /// A named group of tests.
    public struct Suite: Sendable {
        let name: String
        let className: String
        let timestamp: String?
        let properties: [(name: String, value: String)]
        let tests: [Test]

        /// - Parameters:
        ///   - className: the class of its tests; nil for the name of the suite.
        ///   - timestamp: ISO 8601 without fraction and zone.
        ///   - properties: facts about all tests.
        public init(
            _ name: String, className: String? = nil, timestamp: String? = nil,
            properties: [(name: String, value: String)] = [], _ tests: [Test]
        ) {
            self.name = name
            self.className = className ?? name
            self.timestamp = timestamp
            self.properties = properties
            self.tests = tests
        }
    }

    let name: String
    let toolVersion: String
    let suites: [Suite]
    let rules: [CIFinding.Rule]
    let files: [String]
    let nothing: String?

    /// - Parameters:
    ///   - name: the command.
    ///   - rules: all rules that were checked; nil for those of the findings.
    ///   - files: all files that were checked, with or without findings.
    ///   - nothing: the reason why the run proves nothing; nil if it does.
    public init(
        _ name: String, toolVersion: String, _ suites: [Suite], rules: [CIFinding.Rule]? = nil, files: [String] = [],
        nothing: String? = nil
    ) {
        self.name = name
        self.toolVersion = toolVersion
        self.suites = suites
        self.files = files
        self.nothing = nothing
        var seen: Set<String> = []
        let found = suites.flatMap(\.tests).flatMap(\.findings).map(\.rule)
        self.rules = rules ?? found.filter { seen.insert($0.id).inserted }
    }

    /// The whole document.
    public func text(as format: CIFormat) -> String {
        switch format {
        case .junit: junit
        case .sarif: sarif
        case .github: gitHubCommands.joined()
        case .gitlab: gitLab
        }
    }

    var findings: [CIFinding] { suites.flatMap(\.tests).flatMap(\.findings) }
}

// MARK: - GitHub

extension CIReport {
    /// Workflow commands of GitHub Actions, each with a line end. Findings that fail the command come first, because a
    /// step shows ten of each level; known ones are omitted. Source: GitHub Docs, "Workflow commands for GitHub
    /// Actions", section "Setting an error message".
    public var gitHubCommands: [String] {
        let shown = findings.filter(\.isNew)
        let failing = shown.filter { $0.effect == .fails }
        let nothing = nothing.map { Self.command("error", ["title=no load was judged"], $0) }
        return [nothing].compactMap(\.self) + (failing + shown.filter { $0.effect != .fails }).map(Self.command)
    }

    private static func command(_ finding: CIFinding) -> String {
        var properties: [String] = []
        if let (path, line, column) = finding.file {
            properties.append("file=" + property(path))
            if let line { properties.append("line=\(line)") }
            if let column, line != nil { properties.append("col=\(column)") }
        }
        properties.append("title=" + property(finding.words.title))
        return command(
            finding.level == .note ? "notice" : finding.level.rawValue, properties, finding.words.message)
    }

    private static func command(_ name: String, _ properties: [String], _ message: String) -> String {
        "::\(name) \(properties.joined(separator: ","))::\(escaped(message))\n"
    }

    /// Escapes `%` everywhere, and `:` and `,` in properties, like the runner's own toolkit. All text is printable,
    /// because terminals display the job's log.
    private static func escaped(_ text: String) -> String { text.printable.replacing("%", with: "%25") }

    private static func property(_ text: String) -> String {
        escaped(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}

// MARK: - GitLab

extension CIReport {
    /// GitLab's Code Quality report, without problems that do not count. Source: GitLab Docs, "Code Quality", section
    /// "Code Quality report format".
    var gitLab: String {
        let issues = findings.filter { finding in
            switch finding.effect {
            case .fails, .remark, .unchecked: true
            case .known, .uncounted: false
            }
        }
        return JSONValue.array(issues.map(Self.issue)).printable.text + "\n"
    }

    private static func issue(_ finding: CIFinding) -> JSONValue {
        let severity =
            switch finding.level {
            case .note: "info"
            case .warning: "minor"
            case .error: "major"
            }
        let lines = JSONValue.object([("begin", .number(finding.file?.line ?? 1))])
        return .object([
            ("description", .string(finding.words.message)), ("check_name", .string(finding.rule.id)),
            ("fingerprint", .string(finding.identity.issue)), ("severity", .string(severity)),
            // GitLab ignores an issue without a file. This is the file that would have to change.
            ("location", .object([("path", .string(finding.file?.path ?? "Info.plist")), ("lines", lines)])),
        ])
    }
}
