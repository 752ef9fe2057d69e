import GRDB
import Records

extension StoreReader {
    /// The hosts of recordings, each once.
    ///
    /// - Parameter recordings: none for all.
    public func hostNames(of recordings: [String]) throws -> Set<String> {
        var filter = RecordFilter()
        filter.recordings = recordings
        let wanted = filter
        return try read { db in
            var hosts: Set<String> = []
            let forms = try LoadFilter(wanted).forms(in: db, noting: damage)
            let walk = TableWalk(table: "form", number: "id", columns: "host")
            try walk.forEach(in: db, noting: damage) { row in
                if try forms?.contains(row.number(0)) ?? true { hosts.insert(try row.text(1)) }
                return true
            }
            return hosts
        }
    }

    /// Whether ATS came to an answer about some load that meets `filter`: at once, where that asks for recordings alone.
    public func hasJudgedLoad(matching filter: RecordFilter) throws -> Bool {
        guard filter.isOfRecordingsAlone else {
            return try hosts(matching: filter).contains { $0.verdict == .allowed || $0.isViolation }
        }
        let judged: Set = [Verdict.allowed, .blocked, .wouldBlock]
        return try read { try StoreTally.all(in: $0, noting: damage) }.contains { tally in
            tally.loads > 0 && Verdict(rawValue: tally.key.verdict).map(judged.contains) == true
                && (filter.recordings.isEmpty || filter.recordings.contains(tally.key.recording))
        }
    }

    /// How the loads of each host ended, by host, rule and verdict: those that passed, too.
    ///
    /// - Parameter recording: name of a run; nil for all.
    public func hosts(recording: String? = nil) throws -> [HostOutcome] {
        try hosts(matching: RecordFilter(recording: recording))
    }

    /// The same, of the loads that meet `filter`.
    public func hosts(matching filter: RecordFilter) throws -> [HostOutcome] {
        struct Key: Hashable {
            let host: String
            let rule: String?
            let verdict: Verdict
        }
        var loads: [Key: Int] = [:]
        try read { db in
            var forms = StoredForms(noting: damage)
            for group in try GroupScan.groups(LoadFilter(filter), in: db, noting: damage) {
                guard let seq = group.seqs.first else { continue }
                try TableWalk.loads.forEach(from: seq, to: seq, in: db, noting: damage) { row in
                    let form = try forms.form(of: RowScan.Row(row), in: db)
                    guard let verdict = Verdict(rawValue: form.verdict) else { return true }
                    loads[Key(host: form.host, rule: group.rule, verdict: verdict), default: 0] += group.loads
                    return true
                }
            }
        }
        return loads.map { HostOutcome(host: $0.host, rule: $0.rule, verdict: $0.verdict, loads: $1) }
            .sorted { ($0.host, $0.rule ?? "", $0.verdict.rawValue) < ($1.host, $1.rule ?? "", $1.verdict.rawValue) }
    }
}
