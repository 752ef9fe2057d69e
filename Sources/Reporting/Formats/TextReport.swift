import Diagnosis
import Records
import Text

/// A report as plain text: the result, then the problems with their reasons and possible fixes, then the recording.
enum TextReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        let colours = TerminalColours(isColoured: context.isColoured)
        let verdict = ReportVerdict(report, context.rules)
        var text = ([verdict.sentence] + verdict.doubts).map { colours.strong($0.printable) + "\n" }.joined()
        text += AgreementTable(agreement: report.agreement).text(colours: colours)
        text += HelloSection(agreement: report.hellos).text(colours: colours)
        let cases = report.cases(by: context.rules)
        var said: Set<String> = []
        for verdict in ReportModel.verdicts {
            let troubles = verdict.isTrouble ? cases.filter(\.isReported).compactMap { $0.only(verdict) } : []
            let groups = verdict.isTrouble ? [] : report.groups(verdict)
            let loads = troubles.reduce(0) { $0 + $1.loads } + groups.reduce(0) { $0 + $1.loads }
            guard loads > 0 else { continue }
            text += "\n" + colours.verdict("\(verdict.words.uppercased()) (\(loads))", verdict) + "\n"
            text += ReportCause.grouped(troubles).map {
                TroubleBlock(cause: $0, colours: colours, context: context).text(said: &said)
            }
            .joined(separator: "\n")
            if !groups.isEmpty { text += table(of: groups) }
        }
        text += known(cases, context, colours) + report.hints.text(colours: colours)
        return text + "\n" + report.header.text(colours: colours, report.shownEntrances)
    }

    /// Loads without a problem, a row for each origin. The URL is the last column, so that no cell is cut off.
    private static func table(of groups: [ReportRow]) -> String {
        let rows = groups.map { [String($0.loads), $0.tlsVersion ?? "-", $0.url + $0.otherURLs] }
        return TextTable(["count", "tls", "url"], rows, numbers: [0]).text(margin: "  ")
    }

    /// The problems that the baseline lists, a line each.
    private static func known(_ cases: [ReportCase], _ context: ReportContext, _ colours: TerminalColours) -> String {
        let known = cases.filter { $0.judgement == .known }
        guard !known.isEmpty, let file = context.rules.baselineFile else { return "" }
        let loads = known.reduce(0) { $0 + $1.loads }
        let lines = known.map { "  \($0.key.host)  \($0.key.rule ?? "-")  x\($0.loads)".printable + "\n" }
        return "\n" + colours.strong("KNOWN (\(loads))") + "  in \(file.printable)\n" + lines.joined()
    }
}
