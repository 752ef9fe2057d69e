import Postgres
import Reporting

/// The server's row under which a spool is shipped. Several files may come from one spool: copies, and files that were
/// restored from a snapshot. They share their first loads, and each load must be shipped only once.
///
/// A spool may use any row of a chain. Each row is derived from the one before, and the first from data that all files
/// of the spool share. A file continues with a row whose last load it contains, if no other row has later loads of the
/// file. If there is no such row, another file was shipped, and this file forks. It starts a new row after the last
/// load that was shipped under any row. The file needs no knowledge of its copies: on every server, its loads show
/// where it continues.
struct SpoolFork {
    let row: GateRow
    let place: GateRow.ShippedPosition
    /// The number of loads that the server or another file once had and that are neither on the server nor in the file.
    let lost: Int64
    /// The position of the spool's first row if the file has forked from it; nil if the user need not be notified.
    let forkedAt: GateRow.ShippedPosition?

    /// - Parameter mayBeElsewhere: whether a file without a row must be refused if the server has its loads under
    ///   another spool.
    /// - Throws: ``ShippingError``, `PostgresError`, `StoreError`.
    init(
        of spool: Spool, as gate: GateDescription, mayBeElsewhere: Bool, on connection: PostgresConnection
    ) throws {
        guard let current = GateRow(identity: try spool.identity), let root = GateRow(identity: try spool.root) else {
            throw ShippingError.foreign(path: spool.path)
        }
        let chain = root.chain(of: mostRows)
        let common = CommonLoads(of: spool, on: connection)
        for _ in 0..<mostTries {
            let there = try GateRow.look(for: chain, on: connection)
            var isNew = false
            var found = try common.rowToContinue(of: there, current)
            if let found { _ = try found.row.begin(gate, spoolPath: spool.path, on: connection) }
            if found == nil, let new = chain.first(where: { row in !there.contains { $0.row == row } }) {
                if there.isEmpty, mayBeElsewhere { try common.refuseElsewhere() }
                let start = try common.end(of: there)
                // Another process may have created the row with a different position.
                if try new.begin(gate, spoolPath: spool.path, at: start, on: connection) != start { continue }
                found = (new, start)
                isNew = true
            }
            guard let (row, place) = found else { break }
            (self.row, self.place) = (row, place)
            lost = try Self.lost(spool, behind: place.number)
            if row != current { try spool.fork(as: row.identity, at: Spool.Mark(place)) }
            forkedAt = row != root && (isNew || row != current) ? there.first?.place : nil
            return
        }
        throw ShippingError.moved
    }

    /// The number of loads up to the mark, which were all shipped once, that are neither on the server nor in the file.
    private static func lost(_ spool: Spool, behind number: Int64) throws -> Int64 {
        guard let mark = try spool.mark, number < mark.number else { return 0 }
        let first = try spool.first(behind: number) ?? .max
        return min(first - 1, mark.number) - number
    }

    /// A notice for the user; nil if there is none.
    func words(path: String) -> String? {
        forkedAt.map { forkedAt in
            """
            the shared store has loads of this spool, up to number \(forkedAt.number), that are not in \(path): the file \
            was restored from a snapshot, or copied, and the other copy was shipped. It is now a separate spool and \
            continues after the last load that both have
            """
        }
    }
}

/// Copies of copies may fork more than once; the limit protects against a malicious server.
private let mostRows = 100
private let mostTries = 10
