public import Postgres

/// The version of a shared store's schema, compared with this program's.
public enum SchemaState: Sendable, Hashable {
    /// The database has no schema `atsgate`.
    case absent
    /// The schema exists, but this login may not use it.
    case hidden
    /// These steps are missing.
    case behind([SchemaStep])
    case current
    /// A newer program made steps that this one does not know; the value is the first of them.
    case ahead(String)

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
        var made: [String] = []
        for row in try connection.query("SELECT name FROM atsgate.step ORDER BY applied, name") {
            made.append(try row.text(0))
        }
        let known = SchemaStep.all
        if let unknown = made.first(where: { name in !known.contains { $0.name == name } }) {
            self = .ahead(unknown)
        } else {
            let missing = known.filter { !made.contains($0.name) }
            self = missing.isEmpty ? .current : .behind(missing)
        }
    }

    /// The reason why the store cannot be used, with the next step; nil if it can be used.
    public var complaint: String? {
        switch self {
        case .absent: "the database has no schema atsgate: run atsgate store init"
        case .hidden:
            """
            this login may not use the schema atsgate: an administrator can grant it atsgate_writer or \
            atsgate_reader, see atsgate store roles
            """
        case .behind(let steps):
            """
            the store was made by an older atsgate and lacks \(steps.map(\.name).joined(separator: ", ")): \
            to update it, run atsgate store init
            """
        case .ahead(let step):
            "the store was made by a newer atsgate (step \(step) is unknown): update this one"
        case .current: nil
        }
    }
}
