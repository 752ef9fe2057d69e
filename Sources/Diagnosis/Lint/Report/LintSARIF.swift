import ATSPolicy
import Text

/// SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.49): all rules, and a result per finding.
enum LintSARIF {
    /// One run with everything.
    static func render(_ report: LintReport, toolVersion: String) -> String {
        let driver = JSONValue.object([
            ("name", .string("atsgate")),
            ("semanticVersion", .string(toolVersion)),
            ("rules", .array(LintBook.all.map(rule))),
        ])
        let run = JSONValue.object([
            ("tool", .object([("driver", driver)])),
            ("columnKind", .string("unicodeCodePoints")),
            ("artifacts", .array(report.files.map { .object([("location", location($0.path))]) })),
            ("results", .array(report.files.enumerated().flatMap { results($1, artifact: $0) })),
        ])
        return JSONValue.object([
            ("$schema", .string(schema)),
            ("version", .string("2.1.0")),
            ("runs", .array([run])),
        ]).text + "\n"
    }

    private static func rule(_ rule: LintRule) -> JSONValue {
        // Section 3.49.12 wants an absolute URI, so it is that of the public document; the topic is told in the text.
        let uri = PublicDocument(citedFirstIn: rule.source).map { ("helpUri", JSONValue.string($0.address)) }
        return .object(
            [
                ("id", .string(rule.id)),
                ("shortDescription", message(rule.title)),
                ("help", message("\(rule.title). Source: \(rule.source) (\(rule.confidence.rawValue)).")),
            ] + (uri.map { [$0] } ?? []) + [
                ("defaultConfiguration", .object([("level", .string(rule.severity.rawValue))])),
                (
                    "properties",
                    .object([
                        ("source", .string(rule.source)),
                        ("confidence", .string(rule.confidence.rawValue)),
                    ])
                ),
            ])
    }

    private static func results(_ file: LintedFile, artifact: Int) -> [JSONValue] {
        var seen: [String: Int] = [:]
        return file.findings.map { finding in
            let identity = finding.rule + "\u{0}" + finding.keyPath
            let occurrence = (seen[identity] ?? 0) + 1
            seen[identity] = occurrence
            return result(
                finding, path: file.path, artifact: artifact, print: LintFingerprint.text(of: identity, occurrence))
        }
    }

    private static func result(_ finding: LintFinding, path: String, artifact: Int, print: String) -> JSONValue {
        var place: [(key: String, value: JSONValue)] = [("artifactLocation", location(path, index: artifact))]
        if let line = finding.line {
            place.append(
                ("region", .object([("startLine", .number(line)), ("startColumn", .number(finding.column))])))
        }
        let logical = JSONValue.object([("fullyQualifiedName", .string(finding.keyPath))])
        let index = LintBook.all.firstIndex { $0.id == finding.rule }
        return .object([
            ("ruleId", .string(finding.rule)),
            ("ruleIndex", .number(index ?? -1)),
            ("level", .string(finding.severity.rawValue)),
            ("message", message(finding.sentence)),
            (
                "locations",
                .array([
                    .object([
                        ("physicalLocation", .object(place)),
                        ("logicalLocations", .array([logical])),
                    ])
                ])
            ),
            ("partialFingerprints", .object([("atsgateRuleAndKey/v1", .string(print))])),
        ])
    }

    private static func message(_ text: String) -> JSONValue { .object([("text", .string(text))]) }

    private static func location(_ path: String, index: Int? = nil) -> JSONValue {
        let uri = ("uri", JSONValue.string(reference(path)))
        return .object([uri] + (index.map { [("index", .number($0))] } ?? []))
    }

    /// A path as a URI reference, RFC 3986 section 4; a colon must not look like a scheme's.
    private static func reference(_ path: String) -> String {
        var result = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            if isPlain(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~/!+@".utf8.contains(byte)
        }
    }

    private static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
}
