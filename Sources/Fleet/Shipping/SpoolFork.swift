import Postgres
import Reporting

/// A spool of which the shared store has loads that its file does not: the file was set back, or there are two of it, and
/// the other one was shipped since. Which of these it is makes no difference: up to some load both are the same, and what
/// is behind that one in this file was shipped by nobody.
enum SpoolFork {
    /// Gives the file an identity of its own, under which shipping goes on behind the last load that both have.
    ///
    /// The identity follows from the first load that only this file has: copies that have it in common become the same
    /// spool, and the server's row of that one keeps each load from coming twice.
    ///
    /// - Parameter place: of the old identity.
    static func separate(
        _ spool: Spool, from old: GateRow, at place: GateRow.Place, as gate: GateDescription,
        on connection: PostgresConnection
    ) throws -> GateRow {
        let last = try lastCommon(of: spool, old, place, connection)
        var batch = Spool.Batch()
        try spool.fill(&batch, behind: last.number, count: 1, bytes: 1)
        let first = try batch.loads.first.map { ContentKey.texts([try spool.identity, "\($0.id)"]) }
        let new = GateRow(spool: first ?? PostgresUUID(high: .random(in: 1 ... .max), low: .random(in: 1 ... .max)))
        let begin = GateRow.Place(number: last.number, id: last.id.flatMap { PostgresUUID(load: $0) })
        // The server first: an identity without a row would have all shipped again.
        _ = try new.begin(gate, spoolPath: spool.path, at: begin, on: connection)
        try spool.become(new.spool.description.replacing("-", with: ""), at: last)
        return new
    }

    /// - Parameter place: of the identity that it had.
    static func words(for place: GateRow.Place, path: String) -> String {
        """
        the shared store has loads of this spool, up to its number \(place.number), that are not in \(path): the file was set \
        back, as by a snapshot of its machine, or copied, and the other one was shipped. It is a spool of its own now, and \
        goes on behind the last load that both have
        """
    }

    /// The last load of the file that the server has, whatever the file knows to be shipped: a server that was set back,
    /// and has another copy's loads since, has that no more. Where the server has none, for they were deleted or are of
    /// days that went, what the file knows is all there is.
    private static func lastCommon(
        of spool: Spool, _ old: GateRow, _ place: GateRow.Place, _ connection: PostgresConnection
    ) throws -> Spool.Mark {
        var last: Spool.Mark?
        var batch = Spool.Batch()
        var end: Int64 = 0
        repeat {
            try spool.fill(&batch, behind: end, count: loadsAtOnce, bytes: bytesAtOnce)
            let answer = try connection.query(
                "SELECT atsgate.last_shipped($1, $2, $3)",
                [
                    .uuid(old.spool), .uuids(batch.loads.map { PostgresUUID($0.id) }),
                    .times(milliseconds: batch.loads.map(\.time)),
                ])
            if let row = answer.first, try !row.isNull(0) {
                let load = batch.loads[Int(try row.int(0)) - 1]
                last = Spool.Mark(number: load.number, id: "\(load.id)")
            }
            end = batch.end
        } while !batch.isLast && end < place.number
        return try last ?? spool.mark ?? Spool.Mark(number: 0, id: nil)
    }
}

private let loadsAtOnce = 4_000
private let bytesAtOnce = 8 << 20
