public import Postgres

/// How far the schema of a shared store is, as this program sees it.
public enum SchemaState: Sendable, Hashable {
    /// The database has no schema `atsgate`.
    case absent
    /// There is one, and this login may not look into it.
    case hidden
    /// These steps are missing.
    case behind([SchemaStep])
    case current
    /// A newer program has made a step that this one does not know, the first of them.
    case ahead(String)

    /// Asks the server, which every login may do.
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

    /// Why the store cannot be used as it is, and what helps; nil where it can.
    public var complaint: String? {
        switch self {
        case .absent: "the database has no schema atsgate: atsgate store init makes it"
        case .hidden:
            """
            this login may not look into the schema atsgate: an administrator grants it atsgate_writer or \
            atsgate_reader, as atsgate store roles says
            """
        case .behind(let steps):
            """
            the store was made by an older atsgate, and lacks \(steps.map(\.name).joined(separator: ", ")): \
            atsgate store init brings it up to date
            """
        case .ahead(let step):
            "the store was made by a newer atsgate, which this one does not understand (\(step)): update this one"
        case .current: nil
        }
    }
}
