public import ATSPolicy
public import Diagnosis
import Records

/// How results are written. Raw values are those of `--format`.
public enum ProbeFormat: String, Sendable, Hashable, CaseIterable {
    /// Several lines a target, or a line for each system.
    case text
    /// An object a line.
    case json
    case junit, sarif, markdown, csv

    /// A document of all results together; nil for what is written result by result.
    ///
    /// - Parameters:
    ///   - declaration: what was ruled by; where it is a file, SARIF points there.
    ///   - rules: what of failures is known.
    ///   - toolVersion: of atsgate, for formats that name their writer.
    public func document(
        _ results: [ProbeResult], under declaration: Declaration, by rules: JudgementRules = JudgementRules(),
        toolVersion: String
    ) -> String? {
        switch self {
        case .text, .json: nil
        case .junit: ProbeJUnit.render(results, rules)
        case .sarif: ProbeSARIF(declaration: declaration, rules: rules).render(results, toolVersion: toolVersion)
        case .markdown: ProbeMarkdown.render(results, rules)
        case .csv: ProbeCSV.render(results)
        }
    }
}

extension ProbeResult {
    /// It fails, and the baseline has its host and rule.
    func isKnown(by rules: JudgementRules) -> Bool {
        verdict == .fail && rules.knows(host: target.target.host, rule: rule?.rawValue)
    }

    /// What is wrong and what would help, in a sentence or two; nil for a pass.
    var sentence: String? {
        guard verdict != .pass else { return nil }
        let finding = diagnosis?.findings.first
        let what = finding.map { "\($0.title): \($0.observed)." } ?? "TLS could not be set up."
        let help = diagnosis?.remedy?.sentences.first.map { " \($0)" } ?? ""
        return what + help + (exception.map { " Or \($0.sentence)." } ?? "")
    }
}
