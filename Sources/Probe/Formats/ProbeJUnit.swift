import ATSPolicy
import Text

/// JUnit XML: a suite for each system, a case for each target. What was not reached is an error, not a failure.
enum ProbeJUnit {
    static func render(_ results: [ProbeResult]) -> String {
        let systems = results.reduce(into: [OSProfile]()) { if !$0.contains($1.system) { $0.append($1.system) } }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#, "<testsuites name=\"atsgate probe\" \(counts(results))>",
        ]
        for system in systems { lines += suite(system, results.filter { $0.system == system }) }
        lines.append("</testsuites>")
        return lines.map { $0 + "\n" }.joined()
    }

    private static func suite(_ system: OSProfile, _ results: [ProbeResult]) -> [String] {
        let name = XMLText.escaped(system.name)
        var lines = ["  <testsuite name=\"\(name)\" \(counts(results)) skipped=\"0\">"]
        for result in results {
            let url = XMLText.escaped(result.target.url)
            let beginning = "    <testcase classname=\"\(name)\" name=\"\(url)\""
            guard let sentence = result.sentence else {
                lines.append(beginning + "/>")
                continue
            }
            let element = result.verdict == .fail ? "failure" : "error"
            let type = result.rule?.rawValue ?? ""
            lines += [
                beginning + ">", "      <\(element) type=\"\(type)\" message=\"\(XMLText.escaped(sentence))\"/>",
                "    </testcase>",
            ]
        }
        return lines + ["  </testsuite>"]
    }

    private static func counts(_ results: [ProbeResult]) -> String {
        let failures = results.count { $0.verdict == .fail }
        let errors = results.count { $0.verdict == .error }
        return "tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    }
}
