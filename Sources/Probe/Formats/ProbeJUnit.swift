import ATSPolicy
import Text

/// JUnit XML: a suite for each system, a case for each target. What was not reached is an error, not a failure.
enum ProbeJUnit {
    static func render(_ results: [ProbeResult]) -> String {
        let systems = results.reduce(into: [OSProfile]()) { if !$0.contains($1.system) { $0.append($1.system) } }
        let suites = systems.map { system in
            JUnitDocument.Suite(system.name, results.filter { $0.system == system }.map(test))
        }
        return JUnitDocument("atsgate probe", suites).text
    }

    private static func test(_ result: ProbeResult) -> JUnitDocument.Case {
        JUnitDocument.Case(result.target.url, in: result.system.name, outcome(result))
    }

    private static func outcome(_ result: ProbeResult) -> JUnitDocument.Case.Outcome {
        guard let sentence = result.sentence else { return .passed }
        let type = result.rule?.rawValue ?? ""
        return result.verdict == .fail
            ? .failure(type: type, message: sentence) : .error(type: type, message: sentence)
    }
}
