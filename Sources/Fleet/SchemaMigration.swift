public import Postgres

/// Makes the roles and the schema, or what is missing of them: each piece in one transaction, and only by one program at a
/// time.
public enum SchemaMigration {
    /// The oldest server that is enough, as servers count: the first whose views can say whose rights they have.
    static let oldestServer = 150_000

    /// Keys of the advisory locks: `ATSG`, and what for. Number 1 is in 2-functions.sql.
    private static let lock = "SELECT pg_catalog.pg_advisory_xact_lock(1096045383, 2)"

    /// The same, without a row that psql would show.
    private static let quietLock = "DO 'BEGIN PERFORM pg_catalog.pg_advisory_xact_lock(1096045383, 2); END'"

    /// Brings a database up to date. Many may do so at once.
    ///
    /// - Returns: what was made, in the words of ``SchemaStep/name``, `roles` and `schema`; nothing when all was there.
    /// - Throws: ``SchemaError`` for a server or a schema that is not for this program, `PostgresError` where the server
    ///   refuses; what was made before stays.
    public static func run(on connection: PostgresConnection) throws -> [String] {
        try check(connection)
        var made: [String] = []
        if try makeRoles(on: connection) { made.append("roles") }
        let begins = try alone(on: connection) {
            guard try SchemaState(of: connection) == .absent else { return false }
            try connection.run(SchemaStep.beginning)
            return true
        }
        if begins { made.append("schema") }
        for step in SchemaStep.all where try make(step, on: connection) { made.append(step.name) }
        return made
    }

    /// Makes the roles that are missing.
    ///
    /// - Returns: whether one was.
    public static func makeRoles(on connection: PostgresConnection) throws -> Bool {
        try alone(on: connection) {
            guard try FleetRole.missing(on: connection).isEmpty == false else { return false }
            try connection.run(SchemaStep.roles)
            return true
        }
    }

    private static func make(_ step: SchemaStep, on connection: PostgresConnection) throws -> Bool {
        try alone(on: connection) {
            // Somebody else may have made it while this one waited for the lock, or a newer program more than that.
            let state = try SchemaState(of: connection)
            guard case .behind(let missing) = state else {
                if state == .current { return false }
                throw SchemaError(state.complaint ?? "the schema is gone")
            }
            guard missing.contains(step) else { return false }
            try connection.run("SET LOCAL ROLE atsgate_owner")
            try connection.run(step.sql)
            _ = try connection.query("INSERT INTO atsgate.step (name) VALUES ($1)", [.text(step.name)])
            return true
        }
    }

    private static func alone(on connection: PostgresConnection, _ body: () throws -> Bool) throws -> Bool {
        try connection.transaction {
            try connection.run(lock)
            return try body()
        }
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
            SET LOCAL ROLE atsgate_owner;
            \(step.sql)INSERT INTO atsgate.step (name) VALUES ('\(step.name)');

            """
        }
        guard !pieces.isEmpty else { return "-- nothing is missing\n" }
        return "\\set ON_ERROR_STOP on\n" + pieces.map { "\nBEGIN;\n\(quietLock);\n\n\($0)\nCOMMIT;\n" }.joined()
    }
}
