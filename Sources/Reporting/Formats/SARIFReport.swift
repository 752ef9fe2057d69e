import ATSPolicy
import Diagnosis
import Records
import Text

/// SARIF 2.1.0: the rules that were violated, and a result for each host and rule with a problem. It is an error if it
/// fails the command, a suppressed error if it is known, and a warning otherwise.
enum SARIFReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        let cases = report.cases(by: context.rules).filter(\.isTrouble)
        var seen: Set<String> = []
        let rules = cases.filter { seen.insert($0.ruleName).inserted }.map(rule)
        let results = cases.map { result($0, context) }
        return SARIFDocument(
            toolVersion: context.toolVersion, rules: rules, results: results,
            trouble: report.judgement(by: context.rules).nothingJudged?.sentence
        ).text
    }

    private static func rule(_ reported: ReportCase) -> SARIFDocument.Rule {
        let finding = reported.groups.first?.first.findings.first
        let (title, source) = (finding?.title ?? unreported, finding?.source ?? "docs/evidence.md#import")
        return SARIFDocument.Rule(
            id: reported.ruleName, title: title,
            help: "\(title). Source: \(References.shown(source)) (\(finding?.confidence.rawValue ?? "observed")).",
            helpAddress: PublicDocument(citedFirstIn: source)?.address)
    }

    private static func result(_ reported: ReportCase, _ context: ReportContext) -> SARIFDocument.Result {
        let place = reported.groups.first.flatMap { group in
            ReportLocation(group, context).map { SARIFDocument.Location.file($0.path, line: $0.line) }
                ?? .address(group.url)
        }
        return SARIFDocument.Result(
            rule: reported.ruleName, level: reported.judgement == .uncounted ? .warning : .error,
            message: reported.sentence, place: place, logicalName: reported.key.host,
            fingerprint: ("atsgateHostAndRule/v1", reported.fingerprint),
            baseline: context.rules.comparison(reported.judgement, host: reported.key.host, rule: reported.key.rule))
    }
}

/// The title of a problem from a device's log without a cause.
private let unreported = "A load that a device blocked, or that failed there, without a cause in the device's log"

extension ReportCase {
    /// A problem from a device's log without a cause counts as one of ATS.
    fileprivate var ruleName: String { key.rule ?? "ats" }

    /// A value that is equal for the same host and rule in every recording.
    var fingerprint: String { Fingerprint.text([key.host, key.rule ?? ""].joined(separator: "\u{0}")) }
}
