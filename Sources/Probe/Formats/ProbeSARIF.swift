import ATSPolicy
import Records
import Text

/// SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.49): the rules that were met, and a result for each target that does
/// not pass. Its place is the URL.
enum ProbeSARIF {
    static func render(_ results: [ProbeResult], toolVersion: String) -> String {
        let bad = results.filter { $0.verdict != .pass }
        let rules = bad.reduce(into: [Finding]()) { rules, result in
            guard let finding = result.diagnosis?.findings.first else { return }
            if !rules.contains(where: { $0.rule == finding.rule }) { rules.append(finding) }
        }
        let driver = JSONValue.object([
            ("name", .string("atsgate")), ("semanticVersion", .string(toolVersion)),
            ("rules", .array(rules.map(rule))),
        ])
        let run = JSONValue.object([
            ("tool", .object([("driver", driver)])), ("results", .array(bad.map(self.result))),
        ])
        return JSONValue.object([
            ("$schema", .string(schema)), ("version", .string("2.1.0")), ("runs", .array([run])),
        ]).text + "\n"
    }

    private static func rule(_ finding: Finding) -> JSONValue {
        .object([
            ("id", .string(finding.rule.rawValue)), ("shortDescription", message(finding.title)),
            ("help", message("\(finding.title). Source: \(finding.source) (\(finding.confidence.rawValue)).")),
        ])
    }

    private static func result(_ result: ProbeResult) -> JSONValue {
        let rule = result.rule?.rawValue ?? ""
        let host = result.target.target.host
        let place = JSONValue.object([("artifactLocation", .object([("uri", .string(result.target.url))]))])
        let logical = JSONValue.object([("fullyQualifiedName", .string(host))])
        return .object([
            ("ruleId", .string(rule)), ("level", .string(result.verdict == .fail ? "error" : "warning")),
            ("message", message("On \(result.system.title): \(result.sentence ?? rule)")),
            (
                "locations",
                .array([.object([("physicalLocation", place), ("logicalLocations", .array([logical]))])])
            ),
            (
                "partialFingerprints",
                .object([("atsgateHostAndRule/v1", .string("\(host) \(rule) \(result.system.name)"))])
            ),
        ])
    }

    private static func message(_ text: String) -> JSONValue { .object([("text", .string(text))]) }

    private static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
}
