import Fleet
import Postgres
import PostgresServer
import Testing

@Suite("Creating the schema") struct SchemaMigrationTests {
    @Test("eight concurrent migrations perform each step exactly once")
    func eightAtOnce() async throws {
        let database = try FleetDatabase(isMade: false)
        let made = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { try SchemaMigration.run(on: database.connect()) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let expected = ["schema"] + SchemaStep.all.map(\.name)
        #expect(made.filter { $0 != "roles" }.sorted() == expected.sorted())
        let connection = try database.connect()
        #expect(try connection.texts("SELECT name FROM step ORDER BY applied") == SchemaStep.all.map(\.name))
        #expect(try SchemaState(of: connection) == .current)
        #expect(try SchemaMigration.run(on: connection).isEmpty)
    }

    @Test("no superuser is needed: on a separate server a login that may create roles and schemas creates everything")
    func first() throws {
        let server = try PostgresServer()
        let name = try server.makeDatabase()
        try server.connectBySocket().run(
            "CREATE ROLE first LOGIN CREATEROLE PASSWORD 'x'; GRANT CREATE ON DATABASE \(name) TO first")
        let connection = try server.connectBySocket(user: "first", database: name)
        #expect(try SchemaMigration.run(on: connection) == ["roles", "schema"] + SchemaStep.all.map(\.name))
        #expect(try SchemaMigration.run(on: connection).isEmpty)
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

    @Test(
        "a login that may create schemas creates one if the roles exist, and a maintainer adds later steps")
    func creator() throws {
        _ = try FleetDatabase()
        let database = try FleetDatabase(isMade: false)
        try database.connect().run(
            """
            GRANT CREATE ON DATABASE \(database.name) TO test_creator;
            GRANT atsgate_owner TO test_creator WITH ADMIN OPTION
            """)
        #expect(try SchemaMigration.run(on: database.connect(.creator)).first == "schema")
        let administrator = try database.connect()
        try administrator.run("DELETE FROM step WHERE name IN ('4-rights', '5-policies')")
        try administrator.run("DROP POLICY own ON gate; DROP POLICY own ON tally")
        try administrator.run("DROP POLICY read ON gate; DROP POLICY read ON tally")
        try administrator.run("DROP TABLE policy; DROP FUNCTION tell_policy(), keep_policy()")
        let missing = SchemaStep.all.filter { ["4-rights", "5-policies"].contains($0.name) }
        #expect(try SchemaState(of: database.connect(.maintainer)) == .behind(missing))
        #expect(try SchemaMigration.run(on: database.connect(.maintainer)) == ["4-rights", "5-policies"])
    }

    @Test("a login without the right is refused, and leaves no schema")
    func refused() throws {
        _ = try FleetDatabase()
        let database = try FleetDatabase(isMade: false)
        #expect { try SchemaMigration.run(on: database.connect(.nobody)) } throws: { error in
            if case PostgresError.refused(SQLState.insufficientPrivilege, _) = error { true } else { false }
        }
        #expect(try SchemaState(of: database.connect()) == .absent)
    }

    @Test("the output of --dry-run creates the same schema, and afterwards nothing is missing")
    func script() throws {
        let database = try FleetDatabase(isMade: false)
        let connection = try database.connect()
        let script = SchemaMigration.script(for: .absent, lacksRoles: true)
        #expect(script.hasPrefix("\\set ON_ERROR_STOP on\n"))
        try connection.run(String(script.drop { $0 != "\n" }))
        #expect(try SchemaState(of: connection) == .current)
        #expect(SchemaMigration.script(for: .current, lacksRoles: false) == "-- nothing is missing\n")
        let other = try FleetDatabase().connect()
        let tables =
            "SELECT relname || ' ' || relkind::text || coalesce(relacl::text, '') FROM pg_class "
            + "WHERE relnamespace = 'atsgate'::regnamespace ORDER BY 1"
        #expect(try connection.texts(tables) == other.texts(tables))
    }

    @Test("a newer schema is reported, and not changed")
    func newer() throws {
        let connection = try FleetDatabase().connect()
        try connection.run("INSERT INTO step (name) VALUES ('99-later'); DELETE FROM step WHERE name = '4-rights'")
        #expect(try SchemaState(of: connection) == .ahead("99-later"))
        #expect { try SchemaMigration.run(on: connection) } throws: { "\($0)".contains("newer atsgate") }
        #expect(try connection.number("SELECT count(*) FROM step WHERE name = '4-rights'") == 0)
    }

    @Test("a login without access to the schema sees which role it needs")
    func hidden() throws {
        let database = try FleetDatabase()
        let state = try SchemaState(of: database.connect(.nobody))
        #expect(state == .hidden)
        #expect(state.complaint?.contains("atsgate store roles") == true)
    }
}
