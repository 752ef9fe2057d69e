import Records

/// A report for people: what was recorded, which loads broke and why, and what would fix them.
enum TextReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        let paint = Paint(isColoured: context.isColoured)
        var text = report.header.text(paint: paint)
        let cases = report.cases
        var said: Set<String> = []
        for verdict in ReportModel.verdicts {
            let troubles = verdict.isTrouble ? cases.compactMap { $0.only(verdict) } : []
            let groups = verdict.isTrouble ? [] : report.groups(verdict)
            let loads = troubles.reduce(0) { $0 + $1.loads } + groups.reduce(0) { $0 + $1.loads }
            guard loads > 0 else { continue }
            text += "\n" + paint.verdict("\(verdict.words.uppercased()) (\(loads))", verdict) + "\n"
            text += troubles.map { TroubleBlock(trouble: $0, paint: paint).text(said: &said) }.joined(separator: "\n")
            if !groups.isEmpty { text += GroupTable(groups: groups, paint: paint).text }
        }
        return text + report.hints.text(paint: paint)
    }
}

extension ReportCase {
    /// Its groups that ended so; nil for none.
    fileprivate func only(_ verdict: Verdict) -> ReportCase? {
        let groups = groups.filter { $0.key.verdict == verdict }
        return groups.isEmpty ? nil : ReportCase(key: key, groups: groups)
    }
}
