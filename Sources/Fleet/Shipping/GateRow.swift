import Postgres
import Reporting

/// A spool's row in the table `gate`, which contains how far it was shipped.
struct GateRow: Equatable {
    let spool: PostgresUUID

    /// The position up to which the server has the spool's loads.
    struct ShippedPosition: Equatable {
        var number: Int64
        /// The id of the load of that number; nil if it is unknown.
        var id: PostgresUUID?
    }

    init(spool: PostgresUUID) { self.spool = spool }

    /// - Parameter identity: 32 hexadecimal digits.
    init?(identity: String) {
        let (high, low) = (UInt64(identity.prefix(16), radix: 16), UInt64(identity.dropFirst(16), radix: 16))
        guard identity.utf8.count == 32, let high, let low else { return nil }
        spool = PostgresUUID(high: high, low: low)
    }

    /// 32 hexadecimal digits.
    var identity: String { spool.description.replacing("-", with: "") }

    /// The row and its successors, each of which is derived from the one before.
    func chain(of count: Int) -> [GateRow] {
        var rows = [self]
        while rows.count < count, let last = rows.last {
            rows.append(GateRow(spool: ContentKey.texts(["parted", last.identity])))
        }
        return rows
    }

    /// The rows of `chain` that exist and that this login sees, in the same order.
    static func look(
        for chain: [GateRow], on connection: PostgresConnection
    ) throws -> [(row: GateRow, place: ShippedPosition)] {
        let rows = try connection.query(
            """
            SELECT g.shipped, g.last, asked.spool FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (spool, place)
            JOIN atsgate.gate g ON g.spool = asked.spool ORDER BY asked.place
            """, [.uuids(chain.map(\.spool))])
        return try rows.map { (GateRow(spool: try $0.uuid(2)), try Self.place($0)) }
    }

    /// Creates the row if it does not exist, and reads it.
    ///
    /// - Parameter place: the position of a new row.
    /// - Throws: ``ShippingError/foreign(path:)`` if another login owns it.
    func begin(
        _ gate: GateDescription, spoolPath: String, at place: ShippedPosition = ShippedPosition(number: 0),
        on connection: PostgresConnection
    ) throws -> ShippedPosition {
        do {
            _ = try connection.query(
                """
                INSERT INTO atsgate.gate (spool, host, label, version, policy, shipped, last, started, seen)
                SELECT $1, $2, $3, $4, $5, $6, $7, now(), now()
                WHERE NOT EXISTS (SELECT FROM atsgate.gate WHERE spool = $1)
                """, [.uuid(spool)] + Self.values(of: gate) + [.int8(place.number), value(place.id)])
        } catch PostgresError.refused(sqlState: "23505", _) {
            // Another login's row, which this one cannot see, or one that was just created concurrently.
        }
        let rows = try update(gate, "seen = now()", [], on: connection)
        guard let row = rows.first else { throw ShippingError.foreign(path: spoolPath) }
        return try Self.place(row)
    }

    private static func place(_ row: PostgresRow) throws -> ShippedPosition {
        ShippedPosition(number: try row.int(0), id: try row.isNull(1) ? nil : row.uuid(1))
    }

    /// Moves the position, in the transaction of a batch: once it is committed, the server has the loads up to `new`.
    ///
    /// - Throws: ``ShippingError/moved`` if the server is no longer at `old`.
    func move(from old: ShippedPosition, to new: ShippedPosition, on connection: PostgresConnection) throws {
        let changed = try connection.query(
            """
            UPDATE atsgate.gate SET shipped = $3, last = $4, seen = now()
            WHERE spool = $1 AND shipped = $2 AND last IS NOT DISTINCT FROM $5
            """,
            [.uuid(spool), .int8(old.number), .int8(new.number), value(new.id), value(old.id)])
        guard changed.affected == 1 else { throw ShippingError.moved }
    }

    /// Updates the time when the gate was last seen and its number of waiting loads.
    func touch(_ gate: GateDescription, waiting: Int64, on connection: PostgresConnection) throws {
        _ = try update(gate, "seen = now(), waiting = $2", [.int8(waiting)], on: connection)
    }

    /// - Parameters:
    ///   - changes: assignments in addition to the gate's description.
    ///   - values: the values of `changes`, `$2` and so on.
    private func update(
        _ gate: GateDescription, _ changes: String, _ values: [PostgresValue], on connection: PostgresConnection
    ) throws -> PostgresRows {
        let own = ["host", "label", "version", "policy"].enumerated().map { "\($1) = $\($0 + values.count + 2)" }
        let all = gate.isRecording ? own + [changes] : [changes]
        return try connection.query(
            "UPDATE atsgate.gate SET \(all.joined(separator: ", ")) WHERE spool = $1 RETURNING shipped, last",
            [.uuid(spool)] + values + (gate.isRecording ? Self.values(of: gate) : []))
    }

    private static func values(of gate: GateDescription) -> [PostgresValue] {
        [
            .text(gate.host), gate.label.map { .text($0) } ?? .null, .text(gate.version),
            gate.policy.map { .text($0) } ?? .null,
        ]
    }

    private func value(_ id: PostgresUUID?) -> PostgresValue { id.map { .uuid($0) } ?? .null }
}

extension Spool.Mark {
    init(_ place: GateRow.ShippedPosition) {
        self.init(number: place.number, id: place.id.map { LoadID(high: $0.high, low: $0.low).description })
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
