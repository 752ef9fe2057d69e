import Diagnosis
import Records
import Text

/// JUnit XML: a case for each host, with names that are stable from run to run. A host that fails the command fails its
/// case, known and uncounted problems are skipped, and a run that proves nothing is an error.
enum JUnitReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        var cases = hosts(of: report, context).map { host in
            JUnitDocument.Case(
                host.name, in: className, milliseconds: host.milliseconds, outcome(of: host, context.rules))
        }
        if let nothing = report.judgement(by: context.rules).nothingJudged {
            let trouble = JUnitDocument.Case.Outcome.error(type: "nothing-judged", message: nothing.sentence)
            cases.append(JUnitDocument.Case("loads", in: className, trouble))
        }
        let header = report.header
        let properties = [
            ("recording", header.recordings.text), ("os", header.systems.text), ("policy", header.policies.text),
        ]
        let suite = JUnitDocument.Suite(
            suiteName, timestamp: header.first.map { String($0.prefix(19)) },
            properties: properties.filter { !$0.1.isEmpty }.map { (name: $0, value: $1) }, cases)
        return JUnitDocument("atsgate", [suite]).text
    }

    /// A host with all its cases, the worst first.
    private struct Host {
        let name: String
        var cases: [ReportCase]

        /// From the start of the first load to the start of the last.
        var milliseconds: Int64 {
            let spans = cases.flatMap(\.groups).map(\.span)
            return (spans.map(\.last).max() ?? 0) - (spans.map(\.first).min() ?? 0)
        }

        func cases(_ judgement: Judgement) -> [ReportCase] { cases.filter { $0.judgement == judgement } }
    }

    private static func hosts(of report: ReportModel, _ context: ReportContext) -> [Host] {
        var hosts: [Host] = []
        var places: [String: Int] = [:]
        for reported in report.cases(by: context.rules) {
            if let place = places[reported.key.host] {
                hosts[place].cases.append(reported)
            } else {
                places[reported.key.host] = hosts.count
                hosts.append(Host(name: reported.key.host, cases: [reported]))
            }
        }
        return hosts
    }

    private static func outcome(of host: Host, _ rules: JudgementRules) -> JUnitDocument.Case.Outcome {
        let failing = host.cases(.fails)
        if let worst = failing.first {
            let more = failing.count - 1
            let others = more == 0 ? "" : "; and \(more) more \(more == 1 ? "problem" : "problems")"
            return .failure(
                type: worst.key.rule ?? "-", message: worst.headline + others, body: explanation(failing))
        }
        let known = host.cases(.known)
        if !known.isEmpty { return .skipped("known: \(rules.baselineFile ?? "")", explanation(known)) }
        let uncounted = host.cases(.uncounted)
        if let worst = uncounted.first {
            let group = worst.groups.first
            let why = (group?.deviceFailure ?? group?.observed).map { ": \($0)" } ?? ""
            return .skipped("\(worst.verdict.words), not counted\(why)", explanation(uncounted))
        }
        return host.cases(.passes).isEmpty ? .skipped("ATS does not govern the client") : .passed
    }

    private static func explanation(_ cases: [ReportCase]) -> String {
        cases.flatMap(\.groups).map(explanation).joined(separator: "\n\n")
    }

    /// The loads, the problem and the possible fixes, a line each.
    private static func explanation(_ group: ReportRow) -> String {
        var lines = ["\(group.loads) x \(group.url)\(group.otherURLs): \(group.key.verdict.words)"]
        if let rule = group.key.rule { lines.append("rule: \(rule)") }
        if let failure = group.deviceFailure { lines.append("on a device, too: \(failure)") }
        if let codes = group.key.codes { lines.append("a device reports \(codes)") }
        if let observed = group.observed { lines.append("seen: \(observed)\(group.doubt)") }
        if let deciding = group.key.deciding { lines.append("decided by: \(deciding)") }
        if let fix = group.serverFix { lines.append("server: \(fix)") }
        if let fix = group.exceptionFix { lines.append("in Info.plist: \(fix)") }
        return lines.map(\.printable).joined(separator: "\n")
    }

    /// Readers match cases of two runs by suite, class and name. The class has no dot, because Jenkins reads the part
    /// before the last dot as a package.
    private static let suiteName = "App Transport Security"
    private static let className = "atsgate"
}
