import Postgres
import Reporting

/// The loads of a file that the server has, by whichever row.
struct CommonLoads {
    typealias Row = (row: GateRow, place: GateRow.Place)

    private let spool: Spool
    private let connection: PostgresConnection

    init(of spool: Spool, on connection: PostgresConnection) {
        self.spool = spool
        self.connection = connection
    }

    /// - Parameters:
    ///   - rows: all that there are of the spool.
    ///   - current: the one by which the file was shipped last, on this server or another.
    /// - Returns: the one by which it is to be shipped; nil for none of them.
    func rowToGoOn(of rows: [Row], _ current: GateRow) throws -> Row? {
        // What the file has says more than what it has not.
        let found = try rows.first { try has($0.place) && isLast($0, of: rows) }
        return try found ?? rows.first { try lacks($0, isCurrent: $0.row == current) && isLast($0, of: rows) }
    }

    /// No other row brought what the file has behind this one.
    private func isLast(_ one: Row, of rows: [Row]) throws -> Bool {
        try rows.allSatisfy { try $0.row == one.row || last(by: $0, behind: one.place.number) == nil }
    }

    /// The load that the server has last is in the file; a load's id is nobody else's.
    private func has(_ place: GateRow.Place) throws -> Bool {
        guard place.number > 0 else { return true }
        if let mark = try spool.mark, mark.number == place.number, Spool.Mark(place).id == mark.id { return true }
        var batch = Spool.Batch()
        try spool.fill(&batch, behind: place.number - 1, count: 1, bytes: 1)
        if let load = batch.loads.first, load.number == place.number { return PostgresUUID(load.id) == place.id }
        // One that could not be read has no id.
        return try place.id == nil && spool.first(behind: place.number - 1) == place.number
    }

    /// It is not in the file, but once was, or may have been: nothing of what is there is against it.
    private func lacks(_ row: Row, isCurrent: Bool) throws -> Bool {
        let place = row.place
        guard try spool.first(behind: place.number - 1) != place.number else { return false }
        // A server that was set back.
        if isCurrent, let mark = try spool.mark, place.number < mark.number { return true }
        guard try spool.last >= place.number else { return false }
        let common = try last(by: row, behind: 0)?.number ?? 0
        return try spool.first(behind: common) ?? .max > place.number
    }

    /// The last load of the file that any row brought. All files of a spool have some in common that came by the first
    /// row; where none is there, for they were deleted or are of days that went, what the file knows counts, as far as
    /// that row ever got: a server that was set back does not have what the file knows.
    func end(of rows: [Row]) throws -> GateRow.Place {
        let ends = try rows.compactMap { try last(by: $0, behind: 0) }
        if let last = ends.max(by: { $0.number < $1.number }) { return last }
        guard let first = rows.first, let mark = try spool.mark, mark.number <= first.place.number else {
            return GateRow.Place(number: 0)
        }
        return GateRow.Place(number: mark.number, id: mark.id.flatMap { PostgresUUID(load: $0) })
    }

    /// The last load of the file behind `number` that the row brought; nil for none.
    private func last(by row: Row, behind number: Int64) throws -> GateRow.Place? {
        var last: GateRow.Place?
        try forEachBatch(behind: number, upTo: row.place.number) { batch in
            let answer = try connection.query(
                "SELECT atsgate.last_shipped($1, $2, $3)",
                [
                    .uuid(row.row.spool), .uuids(batch.loads.map { PostgresUUID($0.id) }),
                    .times(milliseconds: batch.loads.map(\.time)),
                ])
            guard let found = answer.first, try !found.isNull(0) else { return }
            let load = batch.loads[Int(try found.int(0)) - 1]
            last = GateRow.Place(number: load.number, id: PostgresUUID(load.id))
        }
        return last
    }

    /// A file that was made of a spool, as an export is, has an identity of its own, and the same loads.
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
