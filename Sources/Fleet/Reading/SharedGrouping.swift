import Postgres
import Records
import Reporting

/// Groups loads by form and rule on the server.
struct SharedGrouping {
    private let view: SharedView
    /// The conditions for the loads.
    private let clause: SharedClause

    init(_ view: SharedView, _ clause: SharedClause) {
        self.view = view
        self.clause = clause
    }

    /// The groups, in no order.
    ///
    /// - Parameter times: the times of the loads, in milliseconds since 1970-01-01 UTC.
    func groups(_ detail: GroupDetail, in times: ClosedRange<Int64>) throws -> [Group] {
        var groups = try counted(detail == .whole ? Self.slice(for: times) : nil)
        if detail != .ends { try addURLs(to: &groups) }
        try place(&groups)
        return Array(groups.values)
    }

    private struct Key: Hashable {
        let form: PostgresUUID
        let rule: String?
    }

    /// Loads of one form and rule.
    struct Group {
        let rule: String?
        var loads = 0
        var span: LoadSpan
        var urls = URLTally()
        /// In microseconds since 1970-01-01 UTC, until the loads themselves are known.
        var first: StorePosition
        var last: StorePosition

        mutating func add(_ loads: Int, _ first: Int64, _ last: Int64) {
            self.loads += loads
            span.add(loads, between: first.floored(by: 1000), and: last.floored(by: 1000))
            self.first = StorePosition(number: min(self.first.number, first))
            self.last = StorePosition(number: max(self.last.number, last))
        }
    }

    /// The length of a time slice for all groups: a power of two times the shortest one. There are several times as
    /// many slices as a ``LoadSpan`` keeps.
    private static func slice(for times: ClosedRange<Int64>) -> Int64 {
        var slice: Int64 = 125
        while (times.upperBound - times.lowerBound) / slice > mostSlices { slice *= 2 }
        return slice
    }

    private func counted(_ slice: Int64?) throws -> [Key: Group] {
        let origin = "timestamptz '1970-01-01 00:00:00+00'"
        let binned = slice.map { ", date_bin(interval '\($0) milliseconds', load.time, \(origin))" } ?? ""
        var groups: [Key: Group] = [:]
        let sql = """
            SELECT load.form, load.rule, count(*), min(load.time), max(load.time) FROM load WHERE \(clause.sql)
            GROUP BY load.form, load.rule\(binned)
            """
        try view.forEachFetched(sql, clause.values, pieces: 2048...8192) { rows in
            for row in rows {
                let key = Key(form: try row.uuid(0), rule: try row.orNil(1, row.text))
                let (loads, first, last) = (Int(try row.int(2)), try row.microseconds(3), try row.microseconds(4))
                view.damage.counter.add(loads)
                groups[key, default: Self.group(key, first: first, last: last, slice)].add(loads, first, last)
            }
            return true
        }
        return groups
    }

    private static func group(_ key: Key, first: Int64, last: Int64, _ slice: Int64?) -> Group {
        var span = LoadSpan(first.floored(by: 1000))
        if let slice { span.widen(to: slice) }
        return Group(
            rule: key.rule, span: span, first: StorePosition(number: first), last: StorePosition(number: last))
    }

    /// Adds the distinct URLs without their queries, up to the number that is counted for each group.
    private func addURLs(to groups: inout [Key: Group]) throws {
        try view.forEachFetched(
            """
            SELECT form, rule, (array_agg(url))[1:\(URLTally.limit)] FROM (
                SELECT DISTINCT load.form, load.rule, hashtextextended(split_part(coalesce(load.url, ''), '?', 1), 0)
                FROM load WHERE \(clause.sql)) AS met (form, rule, url)
            GROUP BY form, rule
            """, clause.values, pieces: 512...2048
        ) { rows in
            for row in rows {
                let key = Key(form: try row.uuid(0), rule: try row.orNil(1, row.text))
                for digest in try row.int8s(2) { groups[key]?.urls.add(digest: Int(digest)) }
            }
            return true
        }
    }

    /// Finds the first and the last load of each group.
    private func place(_ groups: inout [Key: Group]) throws {
        let keys = Array(groups.keys)
        var begin = 0
        while begin < keys.count {
            let some = begin..<min(begin + groupsAtOnce, keys.count)
            begin = some.upperBound
            for (part, order) in [(\Group.first, "ASC"), (\Group.last, "DESC")] {
                let rows = try view.connection.query(
                    """
                    SELECT wanted.number, load.time, load.id
                    FROM unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::text[]) AS wanted (number, time, form, rule)
                    CROSS JOIN LATERAL (
                        SELECT * FROM load
                        WHERE load.time = \(serverTime("wanted.time")) AND load.form = wanted.form
                            AND load.rule IS NOT DISTINCT FROM wanted.rule
                        ORDER BY load.id \(order) LIMIT 1
                    ) load
                    """,
                    [
                        .int8s(some.map { Int64($0) }), .int8s(some.map { groups[keys[$0]]?[keyPath: part].number }),
                        .uuids(some.map { keys[$0].form }), .texts(some.map { keys[$0].rule }),
                    ])
                for row in rows {
                    groups[keys[Int(try row.int(0))]]?[keyPath: part] = StorePosition(
                        number: try row.microseconds(1), id: try row.uuid(2).bits)
                }
            }
        }
    }
}

private let mostSlices: Int64 = 1024
private let groupsAtOnce = 2000
