public import ATSPolicy
public import Diagnosis
import Records
import Text

/// The formats of results. Raw values are those of `--format`.
public enum ProbeFormat: String, Sendable, Hashable, CaseIterable {
    /// Several lines for a target, or a line for each release.
    case text
    /// One object on a line.
    case json
    case junit, sarif, github, gitlab, markdown, csv

    /// A document with all results; nil for formats that are written result by result.
    ///
    /// - Parameters:
    ///   - declaration: the dictionary of the rulings; if it is a file, formats for CI point to it.
    ///   - rules: decide which failures are known.
    ///   - toolVersion: of atsgate, for formats that contain it.
    public func document(
        _ results: [ProbeResult], under declaration: Declaration, by rules: JudgementRules = JudgementRules(),
        toolVersion: String
    ) -> String? {
        func ci(_ format: CIFormat) -> String {
            results.ci(under: declaration, by: rules, toolVersion: toolVersion).text(as: format)
        }
        return switch self {
        case .text, .json: nil
        case .junit: ci(.junit)
        case .sarif: ci(.sarif)
        case .github: ci(.github)
        case .gitlab: ci(.gitlab)
        case .markdown: results.summary(by: rules).markdown
        case .csv: results.table.csv
        }
    }
}

extension [ProbeResult] {
    /// For people: a row for each target and release.
    fileprivate func summary(by rules: JudgementRules) -> TextTable {
        let rows = map { result -> [String] in
            let word = result.isKnown(by: rules) ? "known" : result.word.rawValue
            let codes = result.verdict == .pass ? nil : result.diagnosis?.apple?.codes
            return [
                result.target.url, result.system.title, word, result.rule?.rawValue ?? "", codes ?? "",
                result.sentence ?? "",
            ]
        }
        return TextTable(["target", "system", "verdict", "rule", "device", "what"], rows, codes: [3])
    }

    /// For spreadsheets: the same with the facts of the handshake.
    fileprivate var table: TextTable {
        let head = [
            "url", "os", "verdict", "rule", "code", "streamCode", "address", "tlsVersion", "cipherSuite", "group",
            "alpn", "exception", "message",
        ]
        let rows = map { result -> [String] in
            let apple = result.verdict == .pass ? nil : result.diagnosis?.apple
            let facts = result.decisive?.facts
            let cells: [String?] = [
                result.target.url, result.system.name, result.verdict.rawValue, result.rule?.rawValue,
                apple.map { "\($0.code)" }, apple?.streamErrorCode.map { "\($0)" }, result.decisive?.origin?.address,
                facts?.version.name, facts?.suite.name, facts?.group, facts?.alpn, result.exception?.sentence,
                result.sentence,
            ]
            return cells.map { $0 ?? "" }
        }
        return TextTable(head, rows)
    }
}

extension ProbeResult {
    /// True if it fails, and the baseline contains its host and rule.
    func isKnown(by rules: JudgementRules) -> Bool {
        verdict == .fail && rules.knows(host: target.target.host, rule: rule?.rawValue)
    }

    /// The host and the cause; nil for a pass.
    var headline: String? {
        guard verdict != .pass else { return nil }
        return target.target.host + ": " + (diagnosis?.findings.first?.cause ?? "TLS could not be set up")
    }

    /// The fault and the fix, in a sentence or two; nil for a pass.
    var sentence: String? {
        headline.map { headline in
            headline + "." + (diagnosis?.remedy?.sentences.first.map { " \($0)" } ?? "")
                + (exception.map { " Or \($0.sentence)." } ?? "")
        }
    }
}
