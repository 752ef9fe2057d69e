import Postgres
import Reporting

/// The row of a spool in the table `gate`, which says how far it was shipped.
struct GateRow {
    let spool: PostgresUUID

    /// What the server says.
    struct Place: Equatable {
        var number: Int64
        /// The id of the load of that number; nil for none.
        var id: PostgresUUID?
    }

    init(spool: PostgresUUID) { self.spool = spool }

    /// - Parameter identity: 32 hexadecimal digits.
    init?(identity: String) {
        let (high, low) = (UInt64(identity.prefix(16), radix: 16), UInt64(identity.dropFirst(16), radix: 16))
        guard identity.utf8.count == 32, let high, let low else { return nil }
        spool = PostgresUUID(high: high, low: low)
    }

    /// Makes the row where there is none, and reads it.
    ///
    /// - Parameter place: of a row that is made.
    /// - Throws: ``ShippingError/foreign(path:)`` where it is another login's.
    func begin(
        _ gate: GateDescription, spoolPath: String, at place: Place = Place(number: 0),
        on connection: PostgresConnection
    ) throws -> Place {
        do {
            _ = try connection.query(
                """
                INSERT INTO atsgate.gate (spool, host, label, version, policy, shipped, last, started, seen)
                SELECT $1, $2, $3, $4, $5, $6, $7, now(), now()
                WHERE NOT EXISTS (SELECT FROM atsgate.gate WHERE spool = $1)
                """, [.uuid(spool)] + Self.values(of: gate) + [.int8(place.number), value(place.id)])
        } catch PostgresError.refused(sqlState: "23505", _) {
            // Of somebody else's, which is not seen, or of one who was as fast.
        }
        let rows = try update(gate, "seen = now()", [], on: connection)
        guard let row = rows.first else { throw ShippingError.foreign(path: spoolPath) }
        return Place(number: try row.int(0), id: try row.isNull(1) ? nil : row.uuid(1))
    }

    /// In the transaction of a batch: the server has loads up to `new` once it is committed.
    ///
    /// - Throws: ``ShippingError/moved`` where the server is not at `old` any more.
    func move(from old: Place, to new: Place, on connection: PostgresConnection) throws {
        let changed = try connection.query(
            """
            UPDATE atsgate.gate SET shipped = $3, last = $4, seen = now()
            WHERE spool = $1 AND shipped = $2 AND last IS NOT DISTINCT FROM $5
            """,
            [.uuid(spool), .int8(old.number), .int8(new.number), value(new.id), value(old.id)])
        guard changed.affected == 1 else { throw ShippingError.moved }
    }

    /// The gate lives, and has so many loads that are not shipped.
    func tell(_ gate: GateDescription, waiting: Int64, on connection: PostgresConnection) throws {
        _ = try update(gate, "seen = now(), waiting = $2", [.int8(waiting)], on: connection)
    }

    /// - Parameters:
    ///   - changes: of the row, besides what the gate says of itself.
    ///   - values: of these, `$2` and so on.
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
