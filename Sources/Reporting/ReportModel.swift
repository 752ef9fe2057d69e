import Records

/// What a recording says, grouped: the one model that every format but the stored lines themselves is written from.
struct ReportModel {
    private(set) var header = ReportHeader()
    private(set) var hints = ReportHints()
    /// Equal loads together, in the order met.
    private(set) var groups: [LoadGroup] = []
    private var places: [LoadGroup.Key: Int] = [:]

    mutating func add(_ record: StoredRecord) throws(StoreError) {
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

    /// The groups of one verdict, in the order met.
    func groups(_ verdict: Verdict) -> [LoadGroup] { groups.filter { $0.key.verdict == verdict } }

    /// Worst first.
    static let verdicts: [Verdict] = [.blocked, .wouldBlock, .failed, .allowed, .outside]

    /// All groups, the worst first, then by origin and rule: the same recording gives the same text.
    var sorted: [LoadGroup] {
        Self.verdicts.flatMap { verdict in
            groups(verdict).sorted { ($0.key.origin, $0.key.rule ?? "") < ($1.key.origin, $1.key.rule ?? "") }
        }
    }
}

/// A report that can only be written once all rows are known.
struct ModelReport: ReportRenderer {
    private var model = ReportModel()
    private let write: (ReportModel) -> String

    /// - Parameter write: the whole text.
    init(_ write: @escaping (ReportModel) -> String) {
        self.write = write
    }

    mutating func add(_ record: StoredRecord, to output: inout [UInt8]) throws(StoreError) { try model.add(record) }

    func finish(to output: inout [UInt8]) { output.append(contentsOf: write(model).utf8) }
}
