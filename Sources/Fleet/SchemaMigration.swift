public import Postgres

/// Creates the roles and the schema, or the missing parts. Each part is one transaction, and only one program at a time
/// makes it. The lock is on a table that logins without the right to migrate cannot lock in a conflicting mode, so they
/// cannot block a migration.
public enum SchemaMigration {
    /// The oldest supported server, in the server's own numbering. PostgreSQL 15 is the first with `security_invoker`
    /// views.
    static let oldestServer = 150_000

    /// Taken as the owner before a step. Logins that may only read the list of steps can lock it in weaker modes only.
    private static let lock = "SET LOCAL ROLE atsgate_owner;\nLOCK TABLE atsgate.step IN SHARE ROW EXCLUSIVE MODE"

    /// Brings a database up to date. Several programs may run it at the same time.
    ///
    /// - Returns: the parts that were made: ``SchemaStep/name``, `roles` or `schema`; empty if the database is up to
    ///   date.
    /// - Throws: ``SchemaError`` for a server or a schema that this program does not support, `PostgresError` if the
    ///   server refuses. Parts made before stay.
    public static func run(on connection: PostgresConnection) throws -> [String] {
        try check(connection)
        var made: [String] = []
        if try makeRoles(on: connection) { made.append("roles") }
        if try begin(on: connection) { made.append("schema") }
        for step in SchemaStep.all where try make(step, on: connection) { made.append(step.name) }
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
        try connection.transaction { try connection.run(SchemaStep.roles) }
        return true
    }

    private static func begin(on connection: PostgresConnection) throws -> Bool {
        guard try SchemaState(of: connection) == .absent else { return false }
        do {
            try connection.transaction { try connection.run(SchemaStep.beginning) }
            return true
        } catch PostgresError.refused(sqlState: "23505", _), PostgresError.refused(sqlState: "42P06", _) {
            // unique_violation, duplicate_schema (PostgreSQL 15, appendix A): another program was faster.
            return false
        }
    }

    private static func make(_ step: SchemaStep, on connection: PostgresConnection) throws -> Bool {
        guard try isMissing(step, on: connection) else { return false }
        return try connection.transaction {
            try connection.run(lock)
            // Another program may have made it, or a newer one even more, while this one waited for the lock.
            guard try isMissing(step, on: connection) else { return false }
            try connection.run(step.sql)
            _ = try connection.query("INSERT INTO atsgate.step (name) VALUES ($1)", [.text(step.name)])
            return true
        }
    }

    private static func isMissing(_ step: SchemaStep, on connection: PostgresConnection) throws -> Bool {
        let state = try SchemaState(of: connection)
        if case .behind(let missing) = state { return missing.contains(step) }
        guard state == .current else { throw SchemaError(state.complaint ?? "the schema is gone") }
        return false
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
        // If the login may not read the list of steps, the server's own error names the missing right. A newer schema
        // is not touched.
        if case .ahead(let step) = try SchemaState(of: connection) {
            throw SchemaError(SchemaState.ahead(step).complaint ?? step)
        }
    }

    /// The psql script that does the same as ``run(on:)``, for an administrator: `psql -f FILE`.
    ///
    /// - Parameters:
    ///   - state: the state of the database; `absent` if it is unknown.
    ///   - lacksRoles: whether the server lacks any of the roles.
    public static func script(for state: SchemaState, lacksRoles: Bool) -> String {
        var pieces: [String] = []
        if lacksRoles { pieces.append(SchemaStep.roles) }
        if state == .absent { pieces.append(SchemaStep.beginning) }
        let steps: [SchemaStep] =
            switch state {
            case .absent: SchemaStep.all
            case .behind(let missing): missing
            case .hidden, .current, .ahead: []
            }
        pieces += steps.map { step in
            """
            \(lock);
            \(step.sql)INSERT INTO atsgate.step (name) VALUES ('\(step.name)');

            """
        }
        guard !pieces.isEmpty else { return "-- nothing is missing\n" }
        return "\\set ON_ERROR_STOP on\n" + pieces.map { "\nBEGIN;\n\n\($0)\nCOMMIT;\n" }.joined()
    }
}
