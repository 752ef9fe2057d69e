public import Postgres
import Resources

/// Creates the roles and the schema of a shared store, each in one transaction. Only one of several programs makes it.
public enum SharedSchema {
    /// The number of the schema that this program needs.
    static let version: Int64 = 2
    /// The oldest supported server, in the server's own numbering. PostgreSQL 15 is the first with `security_invoker`
    /// views.
    static let oldestServer = 150_000

    /// Creates the missing roles; needs a login that may create roles. Separate from the schema: roles belong to the
    /// server, not to a database.
    static var roles: String { Resource("fleet/roles.sql").text }

    /// Creates the schema, as the owner `atsgate_owner`; a DBA may read and run it.
    static var schema: String { Resource("fleet/schema.sql").text }

    /// Creates the missing parts. Several programs may run it at the same time.
    ///
    /// - Returns: the parts that were made: `roles` or `schema`; empty if nothing was missing.
    /// - Throws: ``SchemaError`` for a server or a schema that this program does not support, `PostgresError` if the
    ///   server refuses. Parts made before stay.
    public static func make(on connection: PostgresConnection) throws -> [String] {
        try check(connection)
        var made: [String] = []
        if try makeRoles(on: connection) { made.append("roles") }
        if try makeSchema(on: connection) { made.append("schema") }
        if let complaint = try SchemaState(of: connection).complaint { throw SchemaError(complaint) }
        try makeDaysAhead(on: connection)
        return made
    }

    /// Makes days in advance, if the login may and the server is not a replica.
    private static func makeDaysAhead(on connection: PostgresConnection) throws {
        let mayMake = try connection.query(
            """
            SELECT has_function_privilege('atsgate.make_days_ahead()', 'EXECUTE') AND NOT pg_catalog.pg_is_in_recovery()
            """)
        if try mayMake.first?.bool(0) == true { try connection.run("SELECT atsgate.make_days_ahead()") }
    }

    /// Makes the missing roles. A concurrent call waits at the first of them.
    ///
    /// - Returns: true if any role was made.
    public static func makeRoles(on connection: PostgresConnection) throws -> Bool {
        guard try FleetRole.missing(on: connection).isEmpty == false else { return false }
        try connection.transaction { try connection.run(roles) }
        return true
    }

    private static func makeSchema(on connection: PostgresConnection) throws -> Bool {
        guard try SchemaState(of: connection) == .absent else { return false }
        do {
            try connection.transaction { try connection.run(schema) }
            return true
        } catch PostgresError.refused(sqlState: "23505", _), PostgresError.refused(sqlState: "42P06", _) {
            // unique_violation, duplicate_schema (PostgreSQL 15, appendix A): another program was faster.
            return false
        }
    }

    private static func check(_ connection: PostgresConnection) throws {
        guard connection.serverVersion >= oldestServer else {
            let version = "\(connection.serverVersion / 10_000).\(connection.serverVersion % 10_000)"
            throw SchemaError("the server is PostgreSQL \(version); a shared store needs 15 or later")
        }
        let encoding = try connection.query("SELECT pg_catalog.current_setting('server_encoding')").first?.text(0)
        guard encoding == "UTF8" else {
            throw SchemaError("the database's encoding is \(encoding ?? "unknown"); a shared store needs UTF8")
        }
        // A schema of another version is not touched.
        if case .other(let number) = try SchemaState(of: connection) {
            throw SchemaError(SchemaState.other(number).complaint ?? "")
        }
    }

    /// The psql script that does the same as ``make(on:)``, for an administrator: `psql -f FILE`.
    ///
    /// - Parameters:
    ///   - state: the state of the database; `absent` if it is unknown.
    ///   - lacksRoles: whether the server lacks any of the roles.
    public static func script(for state: SchemaState, lacksRoles: Bool) -> String {
        let pieces = (lacksRoles ? [roles] : []) + (state == .absent ? [schema] : [])
        guard !pieces.isEmpty else { return "-- nothing is missing\n" }
        return "\\set ON_ERROR_STOP on\n" + pieces.map { "\nBEGIN;\n\n\($0)\nCOMMIT;\n" }.joined()
    }
}

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

/// The reason why a server or its schema cannot be used, as a sentence for the user. Contains no secrets.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter description: names the problem and the next step.
    init(_ description: String) { self.description = description }
}
