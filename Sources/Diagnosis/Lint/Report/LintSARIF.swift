import ATSPolicy

/// SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.49): all rules, and a result per finding.
enum LintSARIF {
    /// One run with everything.
    static func render(_ report: LintReport, toolVersion: String) -> String {
        let driver = JSONOutput.object([
            ("name", JSONOutput.string("atsgate")),
            ("semanticVersion", JSONOutput.string(toolVersion)),
            ("rules", JSONOutput.list(LintBook.rules.map(rule))),
        ])
        let run = JSONOutput.object([
            ("tool", JSONOutput.object([("driver", driver)])),
            ("columnKind", JSONOutput.string("unicodeCodePoints")),
            ("artifacts", JSONOutput.list(report.files.map { JSONOutput.object([("location", location($0.path))]) })),
            ("results", JSONOutput.list(report.files.enumerated().flatMap { results($1, artifact: $0) })),
        ])
        return JSONOutput.object([
            ("$schema", JSONOutput.string(schema)),
            ("version", JSONOutput.string("2.1.0")),
            ("runs", JSONOutput.list([run])),
        ]) + "\n"
    }

    private static func rule(_ rule: LintRule) -> String {
        // Section 3.49.12 wants an absolute URI, so it is that of the public document; the topic is told in the text.
        let uri = PublicDocument(citedFirstIn: rule.source).map { ("helpUri", JSONOutput.string($0.address)) }
        return JSONOutput.object(
            [
                ("id", JSONOutput.string(rule.id)),
                ("shortDescription", message(rule.title)),
                ("help", message("\(rule.title). Source: \(rule.source) (\(rule.confidence.rawValue)).")),
            ] + (uri.map { [$0] } ?? []) + [
                ("defaultConfiguration", JSONOutput.object([("level", JSONOutput.string(rule.severity.rawValue))])),
                (
                    "properties",
                    JSONOutput.object([
                        ("source", JSONOutput.string(rule.source)),
                        ("confidence", JSONOutput.string(rule.confidence.rawValue)),
                    ])
                ),
            ])
    }

    private static func results(_ file: LintedFile, artifact: Int) -> [String] {
        var seen: [String: Int] = [:]
        return file.findings.map { finding in
            let identity = finding.rule + "\u{0}" + finding.keyPath
            let occurrence = (seen[identity] ?? 0) + 1
            seen[identity] = occurrence
            return result(finding, path: file.path, artifact: artifact, print: fingerprint(identity, occurrence))
        }
    }

    private static func result(_ finding: LintFinding, path: String, artifact: Int, print: String) -> String {
        var place = [("artifactLocation", location(path, index: artifact))]
        if let line = finding.line {
            place.append(
                ("region", JSONOutput.object([("startLine", "\(line)"), ("startColumn", "\(finding.column)")])))
        }
        let logical = JSONOutput.object([("fullyQualifiedName", JSONOutput.string(finding.keyPath))])
        let index = LintBook.rules.firstIndex { $0.id == finding.rule }
        return JSONOutput.object([
            ("ruleId", JSONOutput.string(finding.rule)),
            ("ruleIndex", "\(index ?? -1)"),
            ("level", JSONOutput.string(finding.severity.rawValue)),
            ("message", message(finding.sentence)),
            (
                "locations",
                JSONOutput.list([
                    JSONOutput.object([
                        ("physicalLocation", JSONOutput.object(place)),
                        ("logicalLocations", JSONOutput.list([logical])),
                    ])
                ])
            ),
            ("partialFingerprints", JSONOutput.object([("atsgateRuleAndKey/v1", JSONOutput.string(print))])),
        ])
    }

    private static func message(_ text: String) -> String { JSONOutput.object([("text", JSONOutput.string(text))]) }

    private static func location(_ path: String, index: Int? = nil) -> String {
        let uri = ("uri", JSONOutput.string(reference(path)))
        return JSONOutput.object([uri] + (index.map { [("index", "\($0)")] } ?? []))
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

    /// The same for the same rule and key path whatever the line: FNV-1a in 64 bits, and which one of equals it is.
    private static func fingerprint(_ identity: String, _ occurrence: Int) -> String {
        let hash = identity.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ":\(occurrence)"
    }

    private static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
}
