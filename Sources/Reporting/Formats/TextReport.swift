import Diagnosis
import Records
import Text

/// A report as plain text: the recording, the problems with their reasons, and possible fixes.
enum TextReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        let colours = TerminalColours(isColoured: context.isColoured)
        var text = report.header.text(colours: colours)
        for (index, entrance) in report.entrances.shown.enumerated() {
            text += "  " + (index == 0 ? "entrance" : "").padded(to: 11) + entrance.words.printable + "\n"
        }
        let judgement = report.judgement(by: context.rules)
        if let nothing = judgement.nothingJudged {
            text += "\n" + colours.strong(nothing.sentence.capitalizedFirst) + "\n"
        }
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
            text += troubles.map { TroubleBlock(trouble: $0, colours: colours).text(said: &said) }.joined(
                separator: "\n")
            if !groups.isEmpty { text += GroupTable(groups: groups, colours: colours).text }
        }
        return text + known(cases, context, colours) + report.hints.text(colours: colours)
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
