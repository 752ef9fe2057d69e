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

    /// A SARIF 2.1.0 log with one run, on one line. Source: OASIS, Static Analysis Results Interchange Format 2.1.0,
    /// sections 3.13 to 3.49.
    var sarif: String {
        var places: [String: Int] = [:]
        var files: [String] = []
        for path in self.files + findings.compactMap(\.file?.path) where places[path] == nil {
            places[path] = files.count
            files.append(path)
        }
        let driver = JSONValue.object([
            ("name", .string("atsgate")), ("semanticVersion", .string(toolVersion)),
            ("rules", .array(rules.map(\.json))),
        ])
        let indexes = Dictionary(rules.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var run = [
            ("tool", JSONValue.object([("driver", driver)])), ("columnKind", .string("unicodeCodePoints")),
            ("artifacts", .array(files.map { .object([("location", .location($0))]) })),
            ("results", .array(findings.map { $0.json(index: indexes[$0.rule.id] ?? -1, places) })),
        ]
        if let nothing { run.append(("invocations", .array([Self.invocation(nothing)]))) }
        return JSONValue.object([
            ("$schema", .string(schema)), ("version", .string("2.1.0")), ("runs", .array([.object(run)])),
        ]).printable.text + "\n"
    }

    /// Sections 3.20.14 and 3.20.21.
    private static func invocation(_ trouble: String) -> JSONValue {
        let notification = JSONValue.object([("level", .string("error")), ("message", .message(trouble))])
        return .object([
            ("executionSuccessful", .flag(false)), ("toolExecutionNotifications", .array([notification])),
        ])
    }
}

extension CIFinding.Rule {
    fileprivate var json: JSONValue {
        var members = [("id", JSONValue.string(id)), ("shortDescription", .message(title)), ("help", .message(help))]
        if let helpAddress { members.append(("helpUri", .string(helpAddress))) }
        if let level { members.append(("defaultConfiguration", .object([("level", .string(level.rawValue))]))) }
        if !properties.isEmpty {
            members.append(("properties", .object(properties.map { ($0.key, .string($0.value)) })))
        }
        return .object(members)
    }
}

extension CIFinding {
    /// - Parameter places: the indexes of files in the list of artifacts.
    fileprivate func json(index: Int, _ places: [String: Int]) -> JSONValue {
        let logical = JSONValue.object([("fullyQualifiedName", .string(identity.subject))])
        var members = [("logicalLocations", JSONValue.array([logical]))]
        if let place = place(places) { members.insert(("physicalLocation", place), at: 0) }
        return .object(
            [
                ("ruleId", .string(rule.id)), ("ruleIndex", .number(index)), ("level", .string(level.rawValue)),
                ("message", .message(words.message)), ("locations", .array([.object(members)])),
                ("partialFingerprints", .object([(identity.method, .string(identity.fingerprint))])),
            ] + baseline)
    }

    /// The state compared with a baseline: sections 3.27.24 and 3.35.
    private var baseline: [(String, JSONValue)] {
        if case .known(let file) = effect {
            let suppression = JSONValue.object([
                ("kind", .string("external")), ("justification", .string("known: \(file)")),
            ])
            return [("baselineState", .string("unchanged")), ("suppressions", .array([suppression]))]
        }
        return isInBaseline.map { [("baselineState", .string($0 ? "unchanged" : "new"))] } ?? []
    }

    private func place(_ places: [String: Int]) -> JSONValue? {
        switch location {
        case nil: return nil
        case .address(let url): return .object([("artifactLocation", .object([("uri", .string(url))]))])
        case .file(let path, let line, let column):
            var members = [("artifactLocation", JSONValue.location(path, index: places[path]))]
            if let line {
                let start = [("startLine", JSONValue.number(line))]
                members.append(("region", .object(start + (column.map { [("startColumn", .number($0))] } ?? []))))
            }
            return .object(members)
        }
    }
}

extension JSONValue {
    fileprivate static func message(_ text: String) -> JSONValue { .object([("text", .string(text))]) }

    fileprivate static func location(_ path: String, index: Int? = nil) -> JSONValue {
        .object([("uri", .string(URIReference.text(path)))] + (index.map { [("index", .number($0))] } ?? []))
    }
}

private let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/// A digest that is the same in every process and version. An attacker can create collisions, so do not use it for
/// security.
public enum Fingerprint {
    /// FNV-1a with 64 bits: RFC 9923.
    public static func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The digest of a text as 16 hexadecimal digits.
    public static func text(_ identity: String) -> String { digest(identity.utf8).hexadecimal }
}

/// A file path as a URI reference: RFC 3986 section 4.
public enum URIReference {
    /// Returns the URI reference of a path. A colon is escaped so that it cannot be read as the end of a scheme.
    public static func text(_ path: String) -> String {
        var result = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            if isPlain(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + byte.hexadecimal.uppercased()
            }
        }
        return result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-._~/!+@".utf8.contains(byte)
    }
}
