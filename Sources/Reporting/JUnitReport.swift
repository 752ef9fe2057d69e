import Records
import Text

/// JUnit XML: a case for each host and rule. Blocked loads fail theirs, failed ones are errors, allowed ones pass, and
/// what ATS does not govern is skipped.
enum JUnitReport {
    static func render(_ report: ReportModel) -> String {
        let suite = JUnitDocument.Suite(
            report.header.recordings.text, timestamp: report.header.first.map { String($0.prefix(19)) },
            report.cases.map { JUnitDocument.Case($0.key.rule ?? "ats", in: $0.key.host, outcome($0)) })
        return JUnitDocument("atsgate", [suite]).text
    }

    private static func outcome(_ reported: ReportCase) -> JUnitDocument.Case.Outcome {
        let kind = reported.key.rule ?? "-"
        let message = reported.groups.first?.observed ?? reported.verdict.words
        switch reported.verdict {
        case .allowed: return .passed
        case .outside: return .skipped
        case .wouldBlock: return .told(explanation(reported))
        case .blocked: return .failure(type: kind, message: message, body: explanation(reported))
        case .failed: return .error(type: kind, message: message, body: explanation(reported))
        }
    }

    private static func explanation(_ reported: ReportCase) -> String {
        reported.groups.map(explanation).joined(separator: "\n\n")
    }

    /// The loads, what was seen, and what would fix it, a line each.
    private static func explanation(_ group: LoadGroup) -> String {
        var lines = ["\(group.loads) x \(group.url)\(group.otherURLs): \(group.key.verdict.words)"]
        if let codes = group.key.codes { lines.append("a device reports \(codes)") }
        if let observed = group.observed { lines.append("seen: \(observed)\(group.doubt)") }
        if let deciding = group.key.deciding { lines.append("decided by: \(deciding)") }
        if let fix = group.serverFix { lines.append("server: \(fix)") }
        if let fix = group.exceptionFix { lines.append("would free it: \(fix)") }
        return lines.map(\.printable).joined(separator: "\n")
    }
}
