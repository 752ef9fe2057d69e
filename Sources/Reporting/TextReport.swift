import Records

/// A report for people: what was recorded, which loads broke and why, and what would fix them.
enum TextReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        let paint = Paint(isColoured: context.isColoured)
        var text = report.header.text(paint: paint)
        for verdict in ReportModel.verdicts {
            let groups = report.groups(verdict)
            guard !groups.isEmpty else { continue }
            let table = GroupTable(groups: groups, verdict: verdict, paint: paint)
            let title = "\(verdict.words.uppercased()) (\(groups.reduce(0) { $0 + $1.loads }))"
            text += "\n" + paint.verdict(title, verdict) + "\n" + table.text
        }
        return text + report.hints.text(paint: paint)
    }
}
