import Diagnosis
import Records
import Text

/// A report for a comment on a merge request: a summary line, a table of problems, and the rest folded. If it would be
/// too long, the remaining rows are only counted.
enum MarkdownReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        let header = report.header
        let cases = report.cases(by: context.rules)
        let known = cases.filter { $0.judgement == .known }
        let shown = cases.filter { $0.judgement != .known }.flatMap(\.groups)
        var text = "### atsgate: \(verdict(shown, known, of: header.loads))\n"
        if header.loads > 0 {
            text += "\n\(escaped(header.recordings.text)), as \(escaped(header.systems.text)), "
            text += "under \(escaped(header.policies.text))\n"
        }
        let entrances = report.shownEntrances.map(escaped)
        if !entrances.isEmpty { text += "\nEntrances: " + entrances.joined(separator: ", ") + "\n" }
        if let nothing = report.judgement(by: context.rules).nothingJudged {
            text += "\n**\(escaped(nothing.sentence.capitalizedFirst)).**\n"
        }
        text += report.agreement.markdown(bytes: mostFoldedBytes)
        text += report.hellos.markdown
        for verdict in ReportModel.verdicts {
            let groups = shown.filter { $0.key.verdict == verdict }
            guard !groups.isEmpty else { continue }
            text += "\n" + (verdict.isTrouble ? table(of: groups, verdict) : folded(list(of: groups), verdict, groups))
        }
        guard !known.isEmpty else { return text }
        let (list, rest) = kept(known.map(line), bytes: mostListedBytes)
        let summary = "\(count(known.flatMap(\.groups))) known (in \(escaped(context.rules.baselineFile ?? "")))"
        return text + "\n" + MarkdownText.details(summary, list + rest)
    }

    /// The number of loads by verdict, in one line.
    private static func verdict(_ shown: [ReportRow], _ known: [ReportCase], of loads: Int) -> String {
        var counts = ReportModel.verdicts.compactMap { verdict -> String? in
            let groups = shown.filter { $0.key.verdict == verdict }
            return groups.isEmpty ? nil : "\(count(groups)) \(verdict.words)" + groups.onDevice(verdict)
        }
        if !known.isEmpty { counts.append("\(count(known.flatMap(\.groups))) known") }
        return counts.isEmpty ? "no loads" : counts.joined(separator: ", ") + " of \(loads) loads"
    }

    /// A line for a known problem.
    private static func line(_ reported: ReportCase) -> String {
        "- \(escaped(reported.key.host)), `\(reported.key.rule ?? "-")`: \(reported.loads)\n"
    }

    private static func table(of groups: [ReportRow], _ verdict: Verdict) -> String {
        let rows = groups.map { group in
            MarkdownText.row([
                String(group.loads), escaped(group.key.origin), "`\(group.key.rule ?? "-")`",
                escaped(group.key.codes ?? "-"), explanation(of: group),
            ])
        }
        let head = "| loads | origin | rule | a device reports | why and fix |\n|--:|---|---|---|---|\n"
        guard rows.count > longestTable else { return title(verdict, groups) + head + rows.joined() }
        let (folded, rest) = kept(Array(rows[longestTable...]), bytes: mostFoldedBytes)
        return title(verdict, groups) + head + rows[..<longestTable].joined() + "\n"
            + MarkdownText.details("\(rows.count - longestTable) more", head + folded + rest)
    }

    /// The lines that fit, and the number of those that do not.
    private static func kept(_ lines: [String], bytes: Int) -> (text: String, rest: String) {
        var text = ""
        for (index, line) in lines.enumerated() {
            guard text.utf8.count + line.utf8.count <= bytes else {
                return (text, "\n\(lines.count - index) more are not listed here.\n")
            }
            text += line
        }
        return (text, "")
    }

    private static func explanation(of group: ReportRow) -> String {
        var parts = [group.observed.map { escaped($0) + (group.confidence == "inferred" ? " (inferred)" : "") }]
        parts.append(group.deviceFailure.map { "On a device, too: " + escaped($0) })
        parts.append(group.serverFix.map { "Server: " + escaped($0) })
        parts.append(group.exceptionFix.map { "To allow it: " + escaped($0) })
        return parts.compactMap(\.self).joined(separator: "<br>")
    }

    private static func list(of groups: [ReportRow]) -> String {
        let (text, rest) = kept(groups.map { "- \(escaped($0.key.origin)): \($0.loads)\n" }, bytes: mostListedBytes)
        return text + rest
    }

    private static func folded(_ text: String, _ verdict: Verdict, _ groups: [ReportRow]) -> String {
        MarkdownText.details("\(count(groups)) \(verdict.words)", text)
    }

    private static func title(_ verdict: Verdict, _ groups: [ReportRow]) -> String {
        "**\(count(groups)) \(verdict.words)**\n\n"
    }

    private static func count(_ groups: [ReportRow]) -> Int { groups.reduce(0) { $0 + $1.loads } }

    private static func escaped(_ text: String) -> String { MarkdownText.escaped(text) }

    /// The number of rows before the rest is folded.
    private static let longestTable = 20
    /// Three tables and three lists of these lengths fit the 65,536 characters of a comment on GitHub. With a table of
    /// agreement nothing was blocked, so there are only two others.
    private static let mostFoldedBytes = 9_000
    private static let mostListedBytes = 3_000
}
