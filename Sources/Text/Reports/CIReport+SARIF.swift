extension CIReport {
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
