import Postgres
import Reporting

/// Where shipping goes on, by what the server and the spool's file say of each other.
struct SpoolPlace: Equatable {
    let server: GateRow.Place
    /// Loads that the server once had, or that another one has, and the spool no longer: they are lost there.
    let lost: Int64

    /// - Returns: nil where the server has loads of the spool that the file does not: see ``SpoolFork``.
    /// - Throws: ``StoreError``.
    init?(_ server: GateRow.Place, of spool: Spool) throws {
        self.server = server
        let mark = try spool.mark
        guard try Self.isSame(server, spool, mark) else { return nil }
        let first = try spool.first(behind: server.number)
        let had = mark?.number ?? 0
        // Numbers up to `had` were shipped once. Those between were, too, and are in the file no more.
        lost = server.number < had ? min((first ?? had + 1) - 1, had) - server.number : 0
    }

    /// The load that the server has last is the same one here; a load's id is nobody else's. One that could not be read,
    /// and has no id, can still not be.
    private static func isSame(_ server: GateRow.Place, _ spool: Spool, _ mark: Spool.Mark?) throws -> Bool {
        guard server.number > 0 else { return true }
        if let mark, mark.number == server.number, mark.id.flatMap({ PostgresUUID(load: $0) }) == server.id {
            return true
        }
        var batch = Spool.Batch()
        try spool.fill(&batch, behind: server.number - 1, count: 1, bytes: 1)
        if let load = batch.loads.first, load.number == server.number { return PostgresUUID(load.id) == server.id }
        if server.id == nil, try spool.first(behind: server.number - 1) == server.number { return true }
        // A server that was set back has what is in the file no more.
        return mark.map { server.number < $0.number } ?? false
    }
}

extension PostgresUUID {
    init(_ id: LoadID) { self.init(high: id.high, low: id.low) }

    /// - Parameter load: the id of a load, as its text.
    init?(load: String) {
        guard let id = LoadID(load.utf8) else { return nil }
        self.init(id)
    }
}
