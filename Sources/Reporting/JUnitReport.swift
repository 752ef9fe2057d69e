import Records
import Text

/// JUnit XML: a case for each origin and rule. Blocked and failed loads fail theirs, allowed ones pass, and what ATS does
/// not govern is skipped.
enum JUnitReport {
    static func render(_ report: ReportModel) -> String {
        let groups = report.sorted
        let counts = counts(groups)
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"atsgate\" \(counts)>\n"
        let suite = XMLText.escaped(report.header.recordings.text)
        text += "  <testsuite name=\"\(suite)\" \(counts) skipped=\"\(groups.count { $0.key.verdict == .outside })\""
        if let first = report.header.first { text += " timestamp=\"\(XMLText.escaped(String(first.prefix(19))))\"" }
        text += ">\n"
        for group in groups { text += testCase(group) }
        return text + "  </testsuite>\n</testsuites>\n"
    }

    private static func counts(_ groups: [LoadGroup]) -> String {
        let failures = groups.count { $0.key.verdict == .blocked }
        let errors = groups.count { $0.key.verdict == .failed }
        return "tests=\"\(groups.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    }

    private static func testCase(_ group: LoadGroup) -> String {
        let origin = XMLText.escaped(group.key.origin)
        let name = XMLText.escaped(
            [group.key.rule ?? "ats", group.key.codes].compactMap(\.self).joined(separator: " "))
        let head = "    <testcase classname=\"\(origin)\" name=\"\(name)\" time=\"0\""
        guard let inner = outcome(group) else { return head + "/>\n" }
        return head + ">\n" + inner + "    </testcase>\n"
    }

    private static func outcome(_ group: LoadGroup) -> String? {
        switch group.key.verdict {
        case .allowed: nil
        case .outside: "      <skipped/>\n"
        case .wouldBlock: "      <system-out>\(XMLText.escaped(explanation(group)))</system-out>\n"
        case .blocked: trouble("failure", group)
        case .failed: trouble("error", group)
        }
    }

    private static func trouble(_ element: String, _ group: LoadGroup) -> String {
        let kind = XMLText.escaped(group.key.rule ?? "-")
        let message = XMLText.escaped(group.observed ?? group.key.verdict.words)
        return "      <\(element) type=\"\(kind)\" message=\"\(message)\">"
            + "\(XMLText.escaped(explanation(group)))</\(element)>\n"
    }

    /// The loads, what was seen, and what would fix it, a line each.
    private static func explanation(_ group: LoadGroup) -> String {
        var lines = ["\(group.loads) x \(group.url)\(group.otherURLs): \(group.key.verdict.words)"]
        if let codes = group.key.codes { lines.append("a device reports \(codes)") }
        if let observed = group.observed { lines.append("seen: \(observed)") }
        if let deciding = group.key.deciding { lines.append("decided by: \(deciding)") }
        if let fix = group.serverFix { lines.append("server: \(fix)") }
        if let fix = group.exceptionFix { lines.append("would free it: \(fix)") }
        return lines.map(\.printable).joined(separator: "; ")
    }
}
