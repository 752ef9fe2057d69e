public import ATSPolicy
public import Diagnosis
import Records

/// The formats of results. Raw values are those of `--format`.
public enum ProbeFormat: String, Sendable, Hashable, CaseIterable {
    /// Several lines for a target, or a line for each release.
    case text
    /// One object on a line.
    case json
    case junit, sarif, markdown, csv

    /// A document with all results; nil for formats that are written result by result.
    ///
    /// - Parameters:
    ///   - declaration: the dictionary of the rulings; if it is a file, SARIF points to it.
    ///   - rules: decide which failures are known.
    ///   - toolVersion: of atsgate, for formats that contain it.
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
    /// True if it fails, and the baseline contains its host and rule.
    func isKnown(by rules: JudgementRules) -> Bool {
        verdict == .fail && rules.knows(host: target.target.host, rule: rule?.rawValue)
    }

    /// The fault and the fix, in a sentence or two; nil for a pass.
    var sentence: String? {
        guard verdict != .pass else { return nil }
        let finding = diagnosis?.findings.first
        let what = finding.map { "\($0.title): \($0.observed)." } ?? "TLS could not be set up."
        let help = diagnosis?.remedy?.sentences.first.map { " \($0)" } ?? ""
        return what + help + (exception.map { " Or \($0.sentence)." } ?? "")
    }
}
