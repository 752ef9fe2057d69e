import Records

extension StoreReader {
    /// The hosts of recordings, without duplicates.
    ///
    /// - Parameter recordings: empty for all.
    public func hostNames(of recordings: [String]) throws -> Set<String> {
        try read { try $0.hostNames(of: recordings) }
    }

    /// True if a load that matches `filter` was judged. Immediate if the filter names only recordings.
    public func hasJudgedLoad(matching filter: RecordFilter) throws -> Bool {
        guard filter.isOfRecordingsAlone else {
            return try hosts(matching: filter).contains { $0.verdict == .allowed || $0.isViolation }
        }
        let judged: Set = [Verdict.allowed, .blocked, .wouldBlock]
        return try read { try $0.tallies() }.contains { tally in
            tally.loads > 0 && Verdict(rawValue: tally.key.verdict).map(judged.contains) == true
                && (filter.recordings.isEmpty || filter.recordings.contains(tally.key.recording))
        }
    }

    /// The number of loads by host, rule and verdict, including allowed loads.
    public func hosts(matching filter: RecordFilter) throws -> [HostOutcome] {
        struct Key: Hashable {
            let host: String
            let rule: String?
            let verdict: Verdict
        }
        var loads: [Key: Int] = [:]
        try read { view in
            var forms = StoredForms()
            let groups = try view.groups(of: filter, .ends, witnessed: nil)
            try view.forEachRow(at: groups.map { Array($0.places.prefix(1)) }) { index, row in
                let form = try forms.form(of: row, in: view)
                guard let verdict = Verdict(rawValue: form.verdict) else { return }
                let key = Key(host: form.host, rule: groups[index].rule, verdict: verdict)
                loads[key, default: 0] += groups[index].loads
            }
        }
        return loads.map { HostOutcome(host: $0.host, rule: $0.rule, verdict: $0.verdict, loads: $1) }
            .sorted { ($0.host, $0.rule ?? "", $0.verdict.rawValue) < ($1.host, $1.rule ?? "", $1.verdict.rawValue) }
    }
}
