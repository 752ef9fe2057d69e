import ATSPolicy
import Records
import Text

/// SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.49): the rules that were met, and a result for each target that does
/// not pass. Its place is the entry that serves the host, or the dictionary; without a file, the URL.
struct ProbeSARIF {
    let declaration: Declaration

    func render(_ results: [ProbeResult], toolVersion: String) -> String {
        let bad = results.filter { $0.verdict != .pass }
        let rules = bad.reduce(into: [Finding]()) { rules, result in
            guard let finding = result.diagnosis?.findings.first else { return }
            if !rules.contains(where: { $0.rule == finding.rule }) { rules.append(finding) }
        }
        let driver = JSONValue.object([
            ("name", .string("atsgate")), ("semanticVersion", .string(toolVersion)),
            ("rules", .array(rules.map(Self.rule))),
        ])
        let run = JSONValue.object([
            ("tool", .object([("driver", driver)])), ("results", .array(bad.map(self.result))),
        ])
        return JSONValue.object([
            ("$schema", .string(Self.schema)), ("version", .string("2.1.0")), ("runs", .array([run])),
        ]).text + "\n"
    }

    private static func rule(_ finding: Finding) -> JSONValue {
        .object([
            ("id", .string(finding.rule.rawValue)), ("shortDescription", message(finding.title)),
            ("help", message("\(finding.title). Source: \(finding.source) (\(finding.confidence.rawValue)).")),
        ])
    }

    private func result(_ result: ProbeResult) -> JSONValue {
        let rule = result.rule?.rawValue ?? ""
        let host = result.target.target.host
        let logical = JSONValue.object([("fullyQualifiedName", .string(host))])
        return .object([
            ("ruleId", .string(rule)), ("level", .string(result.verdict == .fail ? "error" : "warning")),
            ("message", Self.message("On \(result.system.title): \(result.sentence ?? rule)")),
            (
                "locations",
                .array([.object([("physicalLocation", place(of: result)), ("logicalLocations", .array([logical]))])])
            ),
            (
                "partialFingerprints",
                .object([("atsgateHostAndRule/v1", .string("\(host) \(rule) \(result.system.name)"))])
            ),
        ])
    }

    private func place(of result: ProbeResult) -> JSONValue {
        guard let source = declaration.source, source != "-" else {
            return .object([("artifactLocation", .object([("uri", .string(result.target.url))]))])
        }
        let entry = result.ruling.basis.entry.flatMap { declaration.entries.last($0) }
        let region = (entry?.keyLine ?? declaration.line).map {
            ("region", JSONValue.object([("startLine", .number($0))]))
        }
        let artifact = ("artifactLocation", JSONValue.object([("uri", .string(Self.reference(source)))]))
        return .object([artifact] + (region.map { [$0] } ?? []))
    }

    /// A path as a URI reference, RFC 3986 section 4.
    private static func reference(_ path: String) -> String {
        let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!+@".utf8
        return (path.hasPrefix("/") ? "file://" : "")
            + path.utf8.map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return plain.contains(byte) ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
            }.joined()
    }

    private static func message(_ text: String) -> JSONValue { .object([("text", .string(text))]) }

    private static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
}
