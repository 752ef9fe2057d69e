public import Postgres

/// The version of a shared store's schema, compared with this program's.
public enum SchemaState: Sendable, Hashable {
    /// The database has no schema `atsgate`.
    case absent
    /// The schema exists, but this login may not use it.
    case hidden
    case current
    /// Another version of atsgate made it, with this number; 0 if the schema has none.
    case other(Int64)

    /// Reads the state from the server, which every login may do.
    public init(of connection: PostgresConnection) throws(PostgresError) {
        let schema = try connection.query(
            "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = 'atsgate'")
        guard let row = schema.first else {
            self = .absent
            return
        }
        guard try row.bool(0) else {
            self = .hidden
            return
        }
        let table = try connection.query("SELECT to_regclass('atsgate.version') IS NOT NULL").first
        guard try table?.bool(0) == true else {
            self = .other(0)
            return
        }
        let rows = try connection.query("SELECT coalesce(max(number), 0)::int8 FROM atsgate.version")
        let number = try rows.first?.int(0) ?? 0
        self = number == SharedSchema.version ? .current : .other(number)
    }

    /// The reason why the store cannot be used, with the next step; nil if it can be used.
    public var complaint: String? {
        switch self {
        case .absent: "the database has no schema atsgate: run atsgate store init"
        case .hidden:
            """
            this login may not use the schema atsgate: an administrator can grant it atsgate_writer or \
            atsgate_reader, see atsgate store init --roles
            """
        case .other(let number):
            """
            the store has version \(number) of the schema, but this atsgate needs version \(SharedSchema.version): use \
            the atsgate that made it, or another database
            """
        case .current: nil
        }
    }
}
