import Postgres
import Records
import Reporting

extension SharedView {
    /// The server groups the loads, unless each load must be searched for words or devices.
    func groups(
        of filter: RecordFilter, _ detail: GroupDetail, witnessed: ((ScannedRow) throws -> Void)?
    ) throws -> [LoadBatch] {
        guard filter.search.isEmpty, filter.devices.isEmpty else { return try searchedGroups(filter, witnessed) }
        guard let times = try times(filter) else { return [] }
        let clause = SharedClause(filter, within: times)
        if let witnessed { try forEachWitnessed(filter, clause, witnessed) }
        let groups = try SharedGrouping(self, clause).groups(detail, in: times)
        return groups.sorted { ($0.first.number, $0.first.id) < ($1.first.number, $1.first.id) }.map { group in
            LoadBatch(
                places: [group.first], last: group.last, rule: group.rule, loads: group.loads, span: group.span,
                urls: group.urls)
        }
    }

    /// Passes on the loads of witness mode row by row; they have few forms.
    private func forEachWitnessed(
        _ filter: RecordFilter, _ clause: SharedClause, _ body: (ScannedRow) throws -> Void
    ) throws {
        let rows = try connection.query(
            "SELECT id FROM form WHERE strpos(text, $1) > 0", [.text(#""mode":"witness""#)])
        guard !rows.isEmpty else { return }
        var clause = clause
        clause.add("load.form = ANY (?)", [.uuids(try rows.map { try $0.uuid(0) })])
        try forEachRow(
            "SELECT \(SharedRow.columns) FROM load WHERE \(clause.sql) ORDER BY load.time, load.id", clause.values,
            searching: filter
        ) { row in
            try body(row)
            return true
        }
    }

    /// Does the same as ``groups(of:_:witnessed:)``, row by row.
    private func searchedGroups(
        _ filter: RecordFilter, _ witnessed: ((ScannedRow) throws -> Void)?
    ) throws -> [LoadBatch] {
        if let witnessed, let clause = try clause(filter) { try forEachWitnessed(filter, clause, witnessed) }
        var groups: [LoadBatch] = []
        var places: [SearchedKey: (place: Int, url: Int?)] = [:]
        try forEachRow(of: scan(filter, isDescending: false), behind: nil) { row in
            let key = SearchedKey(form: row.form, rule: row.ruleText)
            let known: (place: Int, url: Int?)
            if let met = places[key] {
                known = met
            } else {
                let blanks = try form(row.form)?.text.namedBlanks
                known = (groups.count, blanks?.firstIndex { $0.name == "load.url" })
                places[key] = known
                groups.append(
                    LoadBatch(
                        places: [row.place], last: row.place, rule: key.rule, loads: 0, span: LoadSpan(row.time)))
            }
            groups[known.place].loads += 1
            groups[known.place].last = row.place
            groups[known.place].span.add(1, between: row.time, and: row.time)
            groups[known.place].urls.add(EntryValues.value(known.url, of: row.entry))
            return true
        }
        return groups
    }

    private struct SearchedKey: Hashable {
        let form: Int64
        let rule: String?
    }
}
