import Postgres
import Records
import Reporting

/// A scan of the loads that match a filter, up to those that existed when it was made.
struct SharedScan: StoreScan {
    let filter: RecordFilter
    let isDescending: Bool
    /// The position of each gate at that time.
    let mark: StoreMark
    /// The look in which the scan was made; within it, no later loads are visible.
    let look: Int
}

extension SharedView {
    func scan(_ filter: RecordFilter, isDescending: Bool) throws -> any StoreScan {
        SharedScan(
            filter: filter, isDescending: isDescending, mark: isDescending ? .beginning : try mark(), look: look)
    }

    func renewed(_ scan: any StoreScan) throws -> any StoreScan { scan }

    func forEachRow(
        of scan: any StoreScan, behind place: StorePosition?, _ body: (ScannedRow) throws -> Bool
    ) throws {
        guard let scan = scan as? SharedScan else { preconditionFailure("a scan of another kind of store") }
        guard var clause = try clause(scan.filter) else { return }
        if let place { clause.add(behind: place, isDescending: scan.isDescending) }
        if scan.look != look, case .gates(let gates) = scan.mark {
            clause.add(filed: gates.map { ($0.key, .min, $0.value.number) })
        }
        let order = scan.isDescending ? "DESC" : "ASC"
        try forEachRow(
            "SELECT \(SharedRow.columns) FROM load WHERE \(clause.sql) ORDER BY load.time \(order), load.id \(order)",
            clause.values, searching: scan.filter, body)
    }

    /// Passes on rows of ``SharedRow/columns``; unreadable loads are noted and skipped.
    func forEachRow(
        _ sql: String, _ values: [PostgresValue], searching filter: RecordFilter,
        _ body: (ScannedRow) throws -> Bool
    ) throws {
        let search = RowSearch(filter.search, devices: filter.devices)
        try forEachFetched(sql, values, pieces: 128...2048) { rows in
            let loads = try rows.map { try SharedRow($0) }
            try fetch(loads.map(\.form))
            damage.counter.add(loads.count)
            for (row, load) in zip(rows, loads) {
                let isWanted = try noting(load.place) {
                    let scanned = try load.scanned(row, parts)
                    guard try search?.matches(scanned, in: self) ?? true else { return true }
                    return try body(scanned)
                }
                guard isWanted ?? true else { return false }
            }
            return true
        }
    }

    /// - Returns: the result of `body`; nil if it met an unreadable load, which is noted.
    func noting<Answer>(_ place: StorePosition, _ body: () throws -> Answer) throws -> Answer? {
        do {
            return try body()
        } catch StoreError.unreadableRecord(let id, let cause) {
            damage.note(load: Int64(truncatingIfNeeded: place.id ^ place.id >> 64), "record \(id): \(cause)")
            return nil
        }
    }

    /// Fetches a result in pieces, so that memory stays flat and other queries may run in between.
    ///
    /// - Parameters:
    ///   - pieces: the number of rows of the first piece, and the maximum for later ones.
    ///   - body: returns false to stop.
    func forEachFetched(
        _ sql: String, _ values: [PostgresValue], pieces: ClosedRange<Int>, _ body: (PostgresRows) throws -> Bool
    ) throws {
        let name = "piecewise_\(parts.nextNumber())"
        _ = try connection.query("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", values)
        var (count, most, passed) = (pieces.lowerBound, pieces.upperBound, 0)
        while true {
            let rows = try connection.cutQuery("FETCH \(count) FROM \(name)")
            passed += rows.count
            guard try body(rows), rows.count == count || rows.isCut else { break }
            count = min(count * 2, most)
            guard rows.isCut else { continue }
            // The cursor is at the end of the piece. It cannot go back, but its snapshot stays: begins again.
            try connection.run("CLOSE \(name)")
            _ = try connection.query("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", values)
            try connection.run("MOVE FORWARD \(passed) FROM \(name)")
            most = largeRowsAtOnce
            count = most
        }
        try connection.run("CLOSE \(name)")
    }

    func forEachRow(
        at candidates: [[StorePosition]], _ body: (_ index: Int, ScannedRow) throws -> Void
    ) throws {
        var begin = 0
        while begin < candidates.count {
            let indices = begin..<min(begin + placesAtOnce, candidates.count)
            begin = indices.upperBound
            let wanted = indices.flatMap { index in candidates[index].prefix(1).map { (index, $0) } }
            let rows = try connection.query(
                """
                SELECT wanted.number, \(SharedRow.columns)
                FROM unnest($1::bigint[], $2::bigint[], $3::uuid[]) AS wanted (number, time, id)
                CROSS JOIN LATERAL (
                    SELECT * FROM load WHERE load.time = \(serverTime("wanted.time")) AND load.id = wanted.id LIMIT 1
                ) load ORDER BY wanted.number
                """,
                [
                    .int8s(wanted.map { Int64($0.0) }), .int8s(wanted.map(\.1.number)),
                    .uuids(wanted.map { PostgresUUID($0.1.id) }),
                ])
            try fetch(rows.map { try SharedRow($0, from: 1).form })
            for row in rows {
                let load = try SharedRow(row, from: 1)
                try noting(load.place) { try body(Int(row.int(0)), load.scanned(row, from: 1, parts)) }
            }
        }
    }
}

private let placesAtOnce = 500
/// The rows of a piece after one that was too large: a row has up to 1 MiB.
let largeRowsAtOnce = 16
