import Postgres
import Reporting

/// The row of the server by which a spool is shipped. Several files may come of one spool: copies, and what a machine has
/// that was set back. Up to some load two of them are the same, and each load is to come once.
///
/// A spool may be shipped by any of a chain of rows, of which each follows from the one before alone, and the first from
/// what all files that come of the spool have in common. A file goes on with a row whose last load it has, if no other
/// row brought what is behind that. Where there is none, somebody has shipped other files, and this one parts from them:
/// it begins a row of its own, behind the last load that any row brought. A file needs to know nothing of all this: on
/// each server, whichever that is, its loads say where it stands.
struct SpoolFork {
    let row: GateRow
    let place: GateRow.Place
    /// Loads that the server once had, or that another one has, and the spool no longer: they are lost there.
    let lost: Int64
    /// Where the spool's first row is, which the file has parted from; nil where people need not be told.
    let parted: GateRow.Place?

    /// - Parameter isLookedFor: whether a file without a row must have no load that is there by another spool's row.
    /// - Throws: ``ShippingError``, `PostgresError`, `StoreError`.
    init(
        of spool: Spool, as gate: GateDescription, isLookedFor: Bool, on connection: PostgresConnection
    ) throws {
        guard let current = GateRow(identity: try spool.identity), let root = GateRow(identity: try spool.root) else {
            throw ShippingError.foreign(path: spool.path)
        }
        let chain = root.chain(of: mostRows)
        let common = CommonLoads(of: spool, on: connection)
        for _ in 0..<mostTries {
            let there = try GateRow.look(for: chain, on: connection)
            var isNew = false
            var found = try common.rowToGoOn(of: there, current)
            if let found { _ = try found.row.begin(gate, spoolPath: spool.path, on: connection) }
            if found == nil, let new = chain.first(where: { row in !there.contains { $0.row == row } }) {
                if there.isEmpty, isLookedFor { try common.refuseElsewhere() }
                let start = try common.end(of: there)
                // Somebody may be as fast.
                if try new.begin(gate, spoolPath: spool.path, at: start, on: connection) != start { continue }
                found = (new, start)
                isNew = true
            }
            guard let (row, place) = found else { break }
            (self.row, self.place) = (row, place)
            lost = try Self.lost(spool, behind: place.number)
            if row != current { try spool.goOn(as: row.identity, at: Spool.Mark(place)) }
            parted = row != root && (isNew || row != current) ? there.first?.place : nil
            return
        }
        throw ShippingError.moved
    }

    /// Numbers up to the mark were shipped once; those of them that are neither there nor in the file are lost.
    private static func lost(_ spool: Spool, behind number: Int64) throws -> Int64 {
        guard let mark = try spool.mark, number < mark.number else { return 0 }
        let first = try spool.first(behind: number) ?? .max
        return min(first - 1, mark.number) - number
    }

    /// For people; nil where they need know nothing.
    func words(path: String) -> String? {
        parted.map { parted in
            """
            the shared store has loads of this spool, up to its number \(parted.number), that are not in \(path): the file \
            was set back, as by a snapshot of its machine, or copied, and the other one was shipped. It is a spool of its \
            own now, and goes on behind the last load that both have
            """
        }
    }
}

/// Copies of copies may part from each other more than once; a server that lies is not asked for ever.
private let mostRows = 100
private let mostTries = 10
