import ATSPolicy
import Diagnosis
import Records
import Text

/// SARIF 2.1.0: the rules that occurred, and a result for each target that does not pass. Its place is the entry for
/// the host, or the dictionary; without a file, the URL.
struct ProbeSARIF {
    let declaration: Declaration
    let rules: JudgementRules

    func render(_ results: [ProbeResult], toolVersion: String) -> String {
        let bad = results.filter { $0.verdict != .pass }
        let rules = bad.reduce(into: [Finding]()) { rules, result in
            guard let finding = result.diagnosis?.findings.first else { return }
            if !rules.contains(where: { $0.rule == finding.rule }) { rules.append(finding) }
        }
        return SARIFDocument(toolVersion: toolVersion, rules: rules.map(Self.rule), results: bad.map(result)).text
    }

    private static func rule(_ finding: Finding) -> SARIFDocument.Rule {
        SARIFDocument.Rule(
            id: finding.rule.rawValue, title: finding.title,
            help: "\(finding.title). Source: \(References.shown(finding.source)) (\(finding.confidence.rawValue)).",
            helpAddress: PublicDocument(citedFirstIn: finding.source)?.address)
    }

    private func result(_ result: ProbeResult) -> SARIFDocument.Result {
        let rule = result.rule?.rawValue ?? ""
        let host = result.target.target.host
        return SARIFDocument.Result(
            rule: rule, level: result.verdict == .fail ? .error : .warning,
            message: "On \(result.system.title): \(result.sentence ?? rule)", place: place(of: result),
            logicalName: host, fingerprint: ("atsgateHostAndRule/v1", "\(host) \(rule) \(result.system.name)"),
            baseline: rules.comparison(result.isKnown(by: rules) ? .known : .fails, host: host, rule: rule))
    }

    private func place(of result: ProbeResult) -> SARIFDocument.Location {
        guard let source = declaration.source, source != "-" else { return .address(result.target.url) }
        let entry = result.ruling.basis.entry.flatMap { declaration.entries.last($0) }
        return .file(source, line: entry?.keyLine ?? declaration.line)
    }
}
