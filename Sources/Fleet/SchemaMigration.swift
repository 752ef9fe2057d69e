public import Postgres

/// Makes the roles and the schema, or what is missing of them: each piece in one transaction, and only by one program at a
/// time. Nothing is locked that a login could lock which may not make them: it would hold them up.
public enum SchemaMigration {
    /// The oldest server that is enough, as servers count: the first whose views can say whose rights they have.
    static let oldestServer = 150_000

    /// As the owner, before a step. Who may read the list of steps may lock it in weaker modes alone.
    private static let lock = "SET LOCAL ROLE atsgate_owner;\nLOCK TABLE atsgate.step IN SHARE ROW EXCLUSIVE MODE"

    /// Brings a database up to date. Many may do so at once.
    ///
    /// - Returns: what was made, in the words of ``SchemaStep/name``, `roles` and `schema`; nothing when all was there.
    /// - Throws: ``SchemaError`` for a server or a schema that is not for this program, `PostgresError` where the server
    ///   refuses; what was made before stays.
    public static func run(on connection: PostgresConnection) throws -> [String] {
        try check(connection)
        var made: [String] = []
        if try makeRoles(on: connection) { made.append("roles") }
        if try begin(on: connection) { made.append("schema") }
        for step in SchemaStep.all where try make(step, on: connection) { made.append(step.name) }
        try makeDaysAhead(on: connection)
        return made
    }

    /// Where the login may, and the server takes anything at all.
    private static func makeDaysAhead(on connection: PostgresConnection) throws {
        let mayMake = try connection.query(
            """
            SELECT has_function_privilege('atsgate.make_days_ahead()', 'EXECUTE') AND NOT pg_catalog.pg_is_in_recovery()
            """)
        if try mayMake.first?.bool(0) == true { try connection.run("SELECT atsgate.make_days_ahead()") }
    }

    /// Makes the roles that are missing. Who makes them at the same time waits at the first of them.
    ///
    /// - Returns: whether one was.
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
            // unique_violation, duplicate_schema (PostgreSQL 15, appendix A): somebody else was as fast.
            return false
        }
    }

    private static func make(_ step: SchemaStep, on connection: PostgresConnection) throws -> Bool {
        guard try isMissing(step, on: connection) else { return false }
        return try connection.transaction {
            try connection.run(lock)
            // Somebody else may have made it while this one waited for the lock, or a newer program more than that.
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
            throw SchemaError("the server is PostgreSQL \(version), and a shared store needs 15 or later")
        }
        let encoding = try connection.query("SELECT pg_catalog.current_setting('server_encoding')").first?.text(0)
        guard encoding == "UTF8" else {
            throw SchemaError("the database is encoded in \(encoding ?? "nothing"), and a shared store needs UTF8")
        }
        // A login that may not look has to be told by the server what it lacks; a newer schema is not touched.
        if case .ahead(let step) = try SchemaState(of: connection) {
            throw SchemaError(SchemaState.ahead(step).complaint ?? step)
        }
    }

    /// What ``run(on:)`` would do, as psql takes it: `psql -f FILE` by an administrator.
    ///
    /// - Parameters:
    ///   - state: of the database; `absent` for one that nobody has asked.
    ///   - lacksRoles: whether the server does.
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
