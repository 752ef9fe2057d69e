import Fleet
import Postgres
import PostgresServer
import Testing

@Suite("Creating the schema") struct SharedSchemaTests {
    @Test("eight programs at once make the schema exactly once")
    func eightAtOnce() async throws {
        let database = try FleetDatabase(isMade: false)
        let made = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { try SharedSchema.make(on: database.connect()) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(made.filter { $0 != "roles" } == ["schema"])
        let connection = try database.connect()
        #expect(try connection.texts("SELECT number::text FROM version") == ["2"])
        #expect(try SchemaState(of: connection) == .current)
        #expect(try SharedSchema.make(on: connection).isEmpty)
    }

    @Test("no superuser is needed: on a separate server a login that may create roles and schemas creates everything")
    func first() throws {
        let server = try PostgresServer()
        let name = try server.makeDatabase()
        try server.connectBySocket().run(
            "CREATE ROLE first LOGIN CREATEROLE PASSWORD 'x'; GRANT CREATE ON DATABASE \(name) TO first")
        let connection = try server.connectBySocket(user: "first", database: name)
        #expect(try SharedSchema.make(on: connection) == ["roles", "schema"])
        #expect(try SharedSchema.make(on: connection).isEmpty)
        #expect(try FleetCheck(of: connection, counts: true).complaints.isEmpty)
    }

    @Test("a check reports a read-only database")
    func readOnly() throws {
        let database = try FleetDatabase()
        #expect(try FleetCheck(of: database.connect(), counts: false).complaints.isEmpty)
        try database.connect().run("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        let complaints = try FleetCheck(of: database.connect(), counts: false).complaints
        #expect(complaints.count == 1 && complaints[0].hasPrefix("the database is read-only"), "\(complaints)")
    }

    @Test("a login that may create schemas creates one if the roles exist")
    func creator() throws {
        _ = try FleetDatabase()
        let database = try FleetDatabase(isMade: false)
        try database.connect().run(
            """
            GRANT CREATE ON DATABASE \(database.name) TO test_creator;
            GRANT atsgate_owner TO test_creator WITH ADMIN OPTION
            """)
        #expect(try SharedSchema.make(on: database.connect(.creator)) == ["schema"])
        #expect(try SharedSchema.make(on: database.connect(.maintainer)).isEmpty)
    }

    @Test("a login without the right is refused, and leaves no schema")
    func refused() throws {
        _ = try FleetDatabase()
        let database = try FleetDatabase(isMade: false)
        #expect { try SharedSchema.make(on: database.connect(.withoutRole)) } throws: { error in
            if case PostgresError.refused(SQLState.insufficientPrivilege, _) = error { true } else { false }
        }
        #expect(try SchemaState(of: database.connect()) == .absent)
    }

    @Test("the output of --dry-run creates the same schema, and afterwards nothing is missing")
    func script() throws {
        let database = try FleetDatabase(isMade: false)
        let connection = try database.connect()
        let script = SharedSchema.script(for: .absent, lacksRoles: true)
        #expect(script.hasPrefix("\\set ON_ERROR_STOP on\n"))
        try connection.run(String(script.drop { $0 != "\n" }))
        #expect(try SchemaState(of: connection) == .current)
        #expect(SharedSchema.script(for: .current, lacksRoles: false) == "-- nothing is missing\n")
        let other = try FleetDatabase().connect()
        let tables =
            "SELECT relname || ' ' || relkind::text || coalesce(relacl::text, '') FROM pg_class "
            + "WHERE relnamespace = 'atsgate'::regnamespace ORDER BY 1"
        #expect(try connection.texts(tables) == other.texts(tables))
    }

    @Test("a schema of another version is reported with its number, and not changed")
    func other() throws {
        let connection = try FleetDatabase().connect()
        try connection.run("UPDATE version SET number = 7")
        #expect(try SchemaState(of: connection) == .other(7))
        #expect { try SharedSchema.make(on: connection) } throws: { "\($0)".contains("version 7 of the schema") }
        #expect(SharedSchema.script(for: .other(7), lacksRoles: false) == "-- nothing is missing\n")
        try connection.run("DROP TABLE version")
        #expect(try SchemaState(of: connection) == .other(0))
        #expect { try SharedSchema.make(on: connection) } throws: { "\($0)".contains("another database") }
        #expect(try connection.number("SELECT count(*) FROM pg_class WHERE relname = 'version'") == 0)
    }

    @Test("the schema opens no transaction, and qualifies all that it creates")
    func isOneTransaction() throws {
        let script = SharedSchema.script(for: .absent, lacksRoles: false)
        let words = script.split(separator: "\n").map { $0.prefix { $0 != "-" } }
        #expect(words.filter { $0.hasPrefix("COMMIT") || $0.hasPrefix("BEGIN;") } == ["BEGIN;", "COMMIT;"])
        let made = words.filter { line in
            (line.hasPrefix("CREATE ") && !line.contains(" INDEX ") && !line.contains(" POLICY "))
                || line.hasPrefix("ALTER TABLE ")
        }
        #expect(made.count > 20)
        #expect(made.allSatisfy { $0.contains(" atsgate") })
    }

    @Test("a login without access to the schema sees which role it needs")
    func hidden() throws {
        let database = try FleetDatabase()
        let state = try SchemaState(of: database.connect(.withoutRole))
        #expect(state == .hidden)
        #expect(state.complaint?.contains("atsgate store init --roles") == true)
    }
}
