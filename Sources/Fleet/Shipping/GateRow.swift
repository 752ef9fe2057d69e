import Postgres
import Records
import Reporting

/// A spool's row in the table `gate`, which contains how far it was shipped.
struct GateRow: Equatable {
    let spool: PostgresUUID

    /// - Parameter identity: 32 hexadecimal digits.
    init?(identity: String) {
        let (high, low) = (UInt64(identity.prefix(16), radix: 16), UInt64(identity.dropFirst(16), radix: 16))
        guard identity.utf8.count == 32, let high, let low else { return nil }
        spool = PostgresUUID(high: high, low: low)
    }

    /// Creates the row if it does not exist, and reads it.
    ///
    /// - Returns: the number up to which the server has the loads of the file that was shipped last, and the id of that
    ///   load; nil if there is none.
    /// - Throws: ``ShippingError/foreign(path:)`` if another login owns it.
    func begin(
        _ gate: GateDescription, spoolPath: String, on connection: PostgresConnection
    ) throws -> (number: Int64, last: PostgresUUID?) {
        do {
            _ = try connection.query(
                """
                INSERT INTO atsgate.gate (spool, host, label, version, policy, started, seen)
                SELECT $1, $2, $3, $4, $5, now(), now()
                WHERE NOT EXISTS (SELECT FROM atsgate.gate WHERE spool = $1)
                """, [.uuid(spool)] + Self.values(of: gate))
        } catch PostgresError.refused(sqlState: "23505", _) {
            // Another login's row, which this one cannot see, or one that was just created concurrently.
        }
        let rows = try update(gate, "seen = now()", [], on: connection)
        guard let row = rows.first else { throw ShippingError.foreign(path: spoolPath) }
        let number = try row.int(0)
        // Swift 6.3 crashes if orNil is called here.
        return try row.isNull(1) ? (number, nil) : (number, row.uuid(1))
    }

    /// Moves the position, in the transaction of a batch: once it is committed, the server has the loads up to `number`.
    ///
    /// - Parameter last: the id of the last load.
    func move(to number: Int64, last: PostgresUUID?, on connection: PostgresConnection) throws {
        _ = try connection.query(
            "UPDATE atsgate.gate SET shipped = $2, last = coalesce($3::uuid, last), seen = now() WHERE spool = $1",
            [.uuid(spool), .int8(number), last.map { .uuid($0) } ?? .null])
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
}

extension PostgresUUID {
    init(_ id: LoadID) { self.init(high: id.high, low: id.low) }
}

/// A gate's description in a shared store.
public struct GateDescription: Sendable, Hashable {
    /// The machine's name.
    public var host: String
    /// The label of its clients; nil if it has none.
    public var label: String?
    /// The version of atsgate.
    public var version: String
    /// The name of its dictionary; nil for the secure defaults.
    public var policy: String?
    /// True if the gate records into the spool. False for a program that only ships it, whose description is used only
    /// if the server does not know the gate.
    public var isRecording = true

    public init(host: String, label: String? = nil, version: String, policy: String? = nil) {
        self.host = host.withoutNUL
        self.label = label?.withoutNUL
        self.version = version.withoutNUL
        self.policy = policy?.withoutNUL
    }
}

extension String {
    /// The text without U+0000, which PostgreSQL cannot store.
    fileprivate var withoutNUL: String { utf8.contains(0) ? replacing("\0", with: "") : self }
}
