import ATSPolicy
import Diagnosis
import Text

/// JUnit XML: a suite for each release, a case for each target. An unreachable target is an error, not a failure; a
/// known failure is skipped.
enum ProbeJUnit {
    static func render(_ results: [ProbeResult], _ rules: JudgementRules) -> String {
        let systems = results.reduce(into: [OSProfile]()) { if !$0.contains($1.system) { $0.append($1.system) } }
        let suites = systems.map { system in
            JUnitDocument.Suite(system.name, results.filter { $0.system == system }.map { test($0, rules) })
        }
        return JUnitDocument("atsgate probe", suites).text
    }

    private static func test(_ result: ProbeResult, _ rules: JudgementRules) -> JUnitDocument.Case {
        JUnitDocument.Case(result.target.url, in: result.system.name, outcome(result, rules))
    }

    private static func outcome(_ result: ProbeResult, _ rules: JudgementRules) -> JUnitDocument.Case.Outcome {
        guard let sentence = result.sentence else { return .passed }
        if result.isKnown(by: rules) { return .skipped("known: \(rules.baselineFile ?? "")", sentence) }
        let type = result.rule?.rawValue ?? ""
        return result.verdict == .fail
            ? .failure(type: type, message: sentence) : .error(type: type, message: sentence)
    }
}
