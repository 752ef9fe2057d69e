import Records

/// A report for people: what was recorded, which loads broke and why, and what would fix them.
struct TextReport: ReportRenderer {
    private let paint: Paint
    private var header = ReportHeader()
    private var hints = ReportHints()
    private var groups: [LoadGroup] = []
    private var places: [LoadGroup.Key: Int] = [:]

    init(isColoured: Bool) {
        paint = Paint(isColoured: isColoured)
    }

    mutating func add(_ record: StoredRecord, to output: inout [UInt8]) throws(StoreError) {
        let load = try ReportedLoad(record)
        header.add(load, verdict: record.verdict)
        hints.add(load, verdict: record.verdict)
        let group = LoadGroup(load, verdict: record.verdict)
        if let place = places[group.key] {
            groups[place].add(group)
        } else {
            places[group.key] = groups.count
            groups.append(group)
        }
    }

    func finish(to output: inout [UInt8]) {
        var text = header.text(paint: paint)
        for verdict in sectionOrder {
            text += section(verdict)
        }
        text += hints.text(paint: paint)
        output.append(contentsOf: text.utf8)
    }

    private func section(_ verdict: Verdict) -> String {
        let groups = groups.filter { $0.key.verdict == verdict }
        guard !groups.isEmpty else { return "" }
        let table = GroupTable(groups: groups, verdict: verdict, paint: paint)
        let loads = groups.reduce(0) { $0 + $1.loads }
        let title = "\(verdict.words.uppercased()) (\(loads))"
        return "\n" + paint.verdict(title, verdict) + "\n" + table.text
    }
}

/// Worst first.
private let sectionOrder: [Verdict] = [.blocked, .wouldBlock, .failed, .allowed, .outside]
