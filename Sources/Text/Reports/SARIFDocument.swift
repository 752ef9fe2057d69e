/// A SARIF 2.1.0 log with one run. Source: OASIS, Static Analysis Results Interchange Format 2.1.0, sections 3.13 to
/// 3.49.
public struct SARIFDocument: Sendable {
    /// Section 3.27.10.
    public enum Level: String, Sendable, Hashable {
        case error, warning, note
    }

    /// Section 3.49.
    public struct Rule: Sendable {
        let id: String
        let title: String
        let help: String
        let helpAddress: String?
        let level: Level?
        let properties: [(key: String, value: String)]

        /// - Parameters:
        ///   - helpAddress: an absolute URI, as section 3.49.12 requires.
        ///   - level: the default level of results.
        public init(
            id: String, title: String, help: String, helpAddress: String? = nil, level: Level? = nil,
            properties: [(key: String, value: String)] = []
        ) {
            self.id = id
            self.title = title
            self.help = help
            self.helpAddress = helpAddress
            self.level = level
            self.properties = properties
        }
    }

    /// The location of a problem: section 3.29.
    public enum Location: Sendable {
        /// Lines and columns are counted from 1.
        case file(String, line: Int?, column: Int? = nil)
        /// A URL.
        case address(String)
    }

    /// The state of a result compared with a baseline: sections 3.27.24 and 3.35.
    public enum Baseline: Sendable, Hashable {
        case new
        /// Known, but still reported.
        case unchanged
        /// Known and suppressed, for the given reason.
        case suppressed(String)
    }

    /// Section 3.27.
    public struct Result: Sendable {
        let rule: String
        let level: Level
        let message: String
        let place: Location?
        let logicalName: String
        let fingerprint: (name: String, value: String)
        let baseline: Baseline?

        /// - Parameters:
        ///   - rule: the id of one of the document's rules.
        ///   - logicalName: the subject of the problem, for example a key or a host: section 3.33.5.
        ///   - fingerprint: the identity of the result, and the name of the method that computed it: section 3.27.17.
        ///   - baseline: nil without a baseline.
        public init(
            rule: String, level: Level, message: String, place: Location?, logicalName: String,
            fingerprint: (name: String, value: String), baseline: Baseline? = nil
        ) {
            self.rule = rule
            self.level = level
            self.message = message
            self.place = place
            self.logicalName = logicalName
            self.fingerprint = fingerprint
            self.baseline = baseline
        }
    }

    private let toolVersion: String
    private let rules: [Rule]
    private let results: [Result]
    /// Distinct paths.
    private var files: [String] = []
    private var places: [String: Int] = [:]
    private let trouble: String?

    /// - Parameters:
    ///   - files: all files that were checked, with or without results.
    ///   - trouble: the reason why there are no valid results; nil if they are valid.
    public init(
        toolVersion: String, rules: [Rule], results: [Result], files: [String] = [], trouble: String? = nil
    ) {
        self.trouble = trouble
        self.toolVersion = toolVersion
        self.rules = rules
        self.results = results
        for path in files + results.compactMap(\.path) where places[path] == nil {
            places[path] = self.files.count
            self.files.append(path)
        }
    }

    /// The log on one line, with its line end.
    public var text: String {
        let driver = JSONValue.object([
            ("name", .string("atsgate")), ("semanticVersion", .string(toolVersion)),
            ("rules", .array(rules.map(Self.json))),
        ])
        let indexes = Dictionary(rules.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var run = [
            ("tool", JSONValue.object([("driver", driver)])), ("columnKind", .string("unicodeCodePoints")),
            ("artifacts", .array(files.map { .object([("location", Self.location($0))]) })),
            ("results", .array(results.map { json($0, index: indexes[$0.rule] ?? -1) })),
        ]
        if let trouble { run.append(("invocations", .array([Self.invocation(trouble)]))) }
        return JSONValue.object([
            ("$schema", .string(schema)), ("version", .string("2.1.0")), ("runs", .array([.object(run)])),
        ]).printable.text + "\n"
    }

    /// Sections 3.20.14 and 3.20.21.
    private static func invocation(_ trouble: String) -> JSONValue {
        let notification = JSONValue.object([("level", .string("error")), ("message", message(trouble))])
        return .object([
            ("executionSuccessful", .flag(false)), ("toolExecutionNotifications", .array([notification])),
        ])
    }

    private static func json(_ rule: Rule) -> JSONValue {
        var members = [
            ("id", JSONValue.string(rule.id)), ("shortDescription", message(rule.title)),
            ("help", message(rule.help)),
        ]
        if let address = rule.helpAddress { members.append(("helpUri", .string(address))) }
        if let level = rule.level {
            members.append(("defaultConfiguration", .object([("level", .string(level.rawValue))])))
        }
        if !rule.properties.isEmpty {
            members.append(("properties", .object(rule.properties.map { ($0.key, .string($0.value)) })))
        }
        return .object(members)
    }

    private func json(_ result: Result, index: Int) -> JSONValue {
        let logical = JSONValue.object([("fullyQualifiedName", .string(result.logicalName))])
        var location = [("logicalLocations", JSONValue.array([logical]))]
        if let place = result.place { location.insert(("physicalLocation", json(place)), at: 0) }
        return .object(
            [
                ("ruleId", .string(result.rule)), ("ruleIndex", .number(index)),
                ("level", .string(result.level.rawValue)),
                ("message", Self.message(result.message)), ("locations", .array([.object(location)])),
                ("partialFingerprints", .object([(result.fingerprint.name, .string(result.fingerprint.value))])),
            ] + (result.baseline.map(Self.members) ?? []))
    }

    private static func members(_ baseline: Baseline) -> [(String, JSONValue)] {
        switch baseline {
        case .new: return [("baselineState", .string("new"))]
        case .unchanged: return [("baselineState", .string("unchanged"))]
        case .suppressed(let why):
            let suppression = JSONValue.object([("kind", .string("external")), ("justification", .string(why))])
            return [("baselineState", .string("unchanged")), ("suppressions", .array([suppression]))]
        }
    }

    private func json(_ place: Location) -> JSONValue {
        switch place {
        case .address(let url): return .object([("artifactLocation", .object([("uri", .string(url))]))])
        case .file(let path, let line, let column):
            var members = [("artifactLocation", Self.location(path, index: places[path]))]
            if let line {
                let start = [("startLine", JSONValue.number(line))]
                members.append(("region", .object(start + (column.map { [("startColumn", .number($0))] } ?? []))))
            }
            return .object(members)
        }
    }

    private static func message(_ text: String) -> JSONValue { .object([("text", .string(text))]) }

    private static func location(_ path: String, index: Int? = nil) -> JSONValue {
        .object([("uri", .string(URIReference.text(path)))] + (index.map { [("index", .number($0))] } ?? []))
    }
}

extension SARIFDocument.Result {
    fileprivate var path: String? {
        if case .file(let path, _, _)? = place { return path }
        return nil
    }
}

private let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
