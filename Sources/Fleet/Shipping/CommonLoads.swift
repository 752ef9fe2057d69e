import Postgres
import Reporting

/// Finds the loads of a file that the server already has, under any row.
struct CommonLoads {
    typealias Row = (row: GateRow, place: GateRow.ShippedPosition)

    private let spool: Spool
    private let connection: PostgresConnection

    init(of spool: Spool, on connection: PostgresConnection) {
        self.spool = spool
        self.connection = connection
    }

    /// - Parameters:
    ///   - rows: all rows of the spool.
    ///   - current: the row under which the file was shipped last, on this server or another.
    /// - Returns: the row under which shipping continues; nil if none fits.
    func rowToContinue(of rows: [Row], _ current: GateRow) throws -> Row? {
        // A row whose last load is in the file is better evidence than one whose last load is missing.
        let found = try rows.first { try has($0.place) && isLast($0, of: rows) }
        return try found ?? rows.first { try mayHaveLost($0, isCurrent: $0.row == current) && isLast($0, of: rows) }
    }

    /// True if no other row has loads of the file after this row's place.
    private func isLast(_ one: Row, of rows: [Row]) throws -> Bool {
        try rows.allSatisfy { try $0.row == one.row || last(by: $0, behind: one.place.number) == nil }
    }

    /// True if the last load that the server has is in the file; ids of loads are unique.
    private func has(_ place: GateRow.ShippedPosition) throws -> Bool {
        guard place.number > 0 else { return true }
        if let mark = try spool.mark, mark.number == place.number, Spool.Mark(place).id == mark.id { return true }
        var batch = Spool.Batch()
        try spool.fill(&batch, behind: place.number - 1, count: 1, bytes: 1)
        if let load = batch.loads.first, load.number == place.number { return PostgresUUID(load.id) == place.id }
        // A load that could not be read has no id.
        return try place.id == nil && spool.first(behind: place.number - 1) == place.number
    }

    /// True if the load is not in the file but was or may have been there, and nothing in the file contradicts that.
    private func mayHaveLost(_ row: Row, isCurrent: Bool) throws -> Bool {
        let place = row.place
        guard try spool.first(behind: place.number - 1) != place.number else { return false }
        // A server that was restored to an older state.
        if isCurrent, let mark = try spool.mark, place.number < mark.number { return true }
        guard try spool.last >= place.number else { return false }
        let common = try last(by: row, behind: 0)?.number ?? 0
        return try spool.first(behind: common) ?? .max > place.number
    }

    /// The last load of the file that was shipped under any row. All files of a spool share some loads that were
    /// shipped under the first row. If none of these loads is left on the server (deleted, or of dropped days), the
    /// file's own mark counts. A mark after that row's place does not count: the server was restored to an older state.
    func end(of rows: [Row]) throws -> GateRow.ShippedPosition {
        let ends = try rows.compactMap { try last(by: $0, behind: 0) }
        if let last = ends.max(by: { $0.number < $1.number }) { return last }
        guard let first = rows.first, let mark = try spool.mark, mark.number <= first.place.number else {
            return GateRow.ShippedPosition(number: 0)
        }
        return GateRow.ShippedPosition(number: mark.number, id: mark.id.flatMap { PostgresUUID(load: $0) })
    }

    /// The last load of the file after `number` that the row brought; nil if there is none.
    private func last(by row: Row, behind number: Int64) throws -> GateRow.ShippedPosition? {
        var last: GateRow.ShippedPosition?
        try forEachBatch(behind: number, upTo: row.place.number) { batch in
            let answer = try connection.query(
                "SELECT atsgate.last_shipped($1, $2, $3)",
                [
                    .uuid(row.row.spool), .uuids(batch.loads.map { PostgresUUID($0.id) }),
                    .times(milliseconds: batch.loads.map(\.time)),
                ])
            guard let found = answer.first, try !found.isNull(0) else { return }
            let load = batch.loads[Int(try found.int(0)) - 1]
            last = GateRow.ShippedPosition(number: load.number, id: PostgresUUID(load.id))
        }
        return last
    }

    /// Refuses a file whose loads the server has under another spool, such as an export, which has a new identity but
    /// the same loads.
    ///
    /// - Throws: ``ShippingError/elsewhere(path:gate:)``.
    func refuseElsewhere() throws {
        try forEachBatch(behind: 0, upTo: .max) { batch in
            let answer = try connection.query(
                "SELECT atsgate.shipped_by($1, $2)",
                [.uuids(batch.loads.map { PostgresUUID($0.id) }), .times(milliseconds: batch.loads.map(\.time))])
            guard let found = answer.first, try !found.isNull(0) else { return }
            throw ShippingError.elsewhere(path: spool.path, gate: "\(try found.uuid(0))")
        }
    }

    private func forEachBatch(
        behind begin: Int64, upTo number: Int64, _ body: (Spool.Batch) throws -> Void
    ) throws {
        var batch = Spool.Batch()
        var end = begin
        while end < number {
            try spool.fill(&batch, behind: end, count: loadsAtOnce, bytes: bytesAtOnce)
            if !batch.loads.isEmpty { try body(batch) }
            if batch.isLast { return }
            end = batch.end
        }
    }
}

private let loadsAtOnce = 4_000
private let bytesAtOnce = 8 << 20
