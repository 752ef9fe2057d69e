import Postgres
import Reporting

/// Where shipping goes on, by what the server and the spool's file say of each other.
struct SpoolPlace: Equatable {
    let server: GateRow.Place
    /// Loads that the server once had, or that another one has, and the spool no longer: they are lost there.
    let lost: Int64

    /// - Throws: ``ShippingError/copied(path:server:)``; ``StoreError``.
    init(_ server: GateRow.Place, of spool: Spool) throws {
        self.server = server
        let mark = try spool.mark
        try Self.compare(server, with: spool, mark)
        let first = try spool.first(behind: server.number)
        let had = mark?.number ?? 0
        // Numbers up to `had` were shipped once. Those between were, too, and are in the file no more.
        lost = server.number < had ? min((first ?? had + 1) - 1, had) - server.number : 0
    }

    /// The load that the server has last is the same one here; a load's id is nobody else's. A copy of the file has other
    /// loads behind the moment at which it was made.
    private static func compare(_ server: GateRow.Place, with spool: Spool, _ mark: Spool.Mark?) throws {
        guard server.number > 0 else { return }
        if let mark, mark.number == server.number, mark.id.flatMap({ PostgresUUID(load: $0) }) == server.id { return }
        guard let theirs = server.id else { return }
        if let ours = try spool.id(of: server.number) {
            guard PostgresUUID(load: ours) == theirs else {
                throw ShippingError.copied(path: spool.path, server: server.number)
            }
            return
        }
        // A server that was set back has what is in the file no more.
        guard let mark, server.number < mark.number else {
            throw ShippingError.copied(path: spool.path, server: server.number)
        }
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
