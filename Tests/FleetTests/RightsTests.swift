import Fleet
import Postgres
import PostgresServer
import Testing

@Suite("Rights of each role") struct RightsTests {
    private static let own = "00000000-0000-0000-0000-0000000000a1"
    private static let others = "00000000-0000-0000-0000-0000000000a2"
    private static let load = "INSERT INTO load VALUES ('\(own)', 1, '\(own)', '2026-11-05', '\(own)', NULL, NULL, 'e')"
    /// 2026-11-06.
    private static let sixth: Int64 = 1_794_000_000_000
    private static let tally =
        "ON CONFLICT (gate, recording, verdict) DO UPDATE SET loads = tally.loads + excluded.loads"

    /// A store with a day, a load, and a gate and a tally of each of two writers.
    private func store() throws -> FleetDatabase {
        let database = try FleetDatabase()
        for (login, spool) in [(FleetDatabase.Login.writer, Self.own), (.otherWriter, Self.others)] {
            try database.connect(login).run(
                """
                SELECT make_day('2026-11-05');
                INSERT INTO gate (spool, host, version) VALUES ('\(spool)', 'h', '1');
                INSERT INTO tally VALUES ('\(spool)', 'r', 'allowed', 1, now(), now()) \(Self.tally);
                """)
        }
        try database.connect(.writer).run(Self.load)
        return database
    }

    @Test("a gate can write its row, tallies, days, forms, handshakes and loads")
    func writer() throws {
        let connection = try store().connect(.writer)
        try connection.run(
            """
            UPDATE gate SET shipped = 1, last = '\(Self.own)', seen = now(), waiting = 0 WHERE spool = '\(Self.own)';
            INSERT INTO gate (spool, host, version) VALUES ('\(Self.own)', 'new', '2')
            ON CONFLICT (spool) DO UPDATE SET host = excluded.host, version = excluded.version;
            INSERT INTO tally VALUES ('\(Self.own)', 'r', 'allowed', 2, now(), now()) \(Self.tally);
            SELECT make_day('2026-11-06');
            """)
        #expect(try connection.number("SELECT loads FROM tally") == 3)
        #expect(try connection.number("SELECT count(*) FROM gate") == 1)
        let uuid = PostgresUUID(high: 0, low: 0xA1)
        try connection.copyIn("COPY load (gate, seq, id, time, form, entry) FROM STDIN (FORMAT binary)") { copy in
            try copy.row(6)
            copy.uuid(uuid)
            copy.int8(2)
            copy.uuid(uuid)
            copy.time(milliseconds: Self.sixth)
            copy.uuid(uuid)
            copy.text("e")
        }
    }

    @Test(
        "the values that a gate writes are limited, so that others can add and compare them",
        arguments: [
            "UPDATE tally SET loads = 9223372036854775807", "UPDATE tally SET loads = -1",
            "UPDATE tally SET last_time = 'infinity'", "UPDATE tally SET first_time = '-infinity'",
            "UPDATE gate SET seen = 'infinity'", "UPDATE gate SET started = '-infinity'",
            "UPDATE gate SET waiting = 9223372036854775807", "UPDATE gate SET shipped = -1",
        ])
    func bounds(statement: String) throws {
        let connection = try store().connect(.writer)
        let error = #expect(throws: PostgresError.self) { try connection.run(statement) }
        guard case .refused("23514", _) = error else {
            Issue.record("\(statement): \(String(describing: error))")
            return
        }
    }

    private static let forbiddenToWriters = [
        "SELECT * FROM load", "SELECT id FROM load", "UPDATE load SET rule = 'x'", "DELETE FROM load", "TRUNCATE load",
        "SELECT * FROM load_20261105", "INSERT INTO load_20261105 SELECT", "SELECT * FROM form", "DELETE FROM form",
        "INSERT INTO form VALUES ('\(own)', 'r', 'h', 'v', 'o', NULL, 't', now())", "SELECT * FROM handshake",
        "UPDATE handshake SET text = ''", "DELETE FROM gate", "UPDATE gate SET owner = 'postgres'",
        "UPDATE gate SET spool = '\(others)'",
        "INSERT INTO gate (spool, host, version, owner) VALUES ('\(own)', '', '', '')",
        "DELETE FROM tally", "UPDATE tally SET recording = 'x'", "SELECT * FROM loads", "SELECT * FROM gates",
        "SELECT * FROM days", "SELECT drop_day('2026-11-05')",
        "INSERT INTO version (number) VALUES (2)", "DELETE FROM version", "DROP TABLE load", "SET ROLE atsgate_owner",
        "CREATE TABLE atsgate.mine (a int)", "ALTER TABLE load DETACH PARTITION load_20261105",
        "ALTER TABLE gate DISABLE ROW LEVEL SECURITY",
        "INSERT INTO tally VALUES ('\(others)', 'r', 'allowed', 9, now(), now())",
        "INSERT INTO tally VALUES ('\(others)', 'r', 'allowed', 9, now(), now()) \(tally)",
        """
        INSERT INTO gate (spool, host, version) VALUES ('\(others)', 'mine', '1')
        ON CONFLICT (spool) DO UPDATE SET host = 'mine'
        """,
    ]

    @Test("a gate is refused all other statements")
    func writerIsRefused() throws {
        let connection = try store().connect(.writer)
        for sql in Self.forbiddenToWriters {
            #expect(try connection.refusal(of: sql) == SQLState.insufficientPrivilege, "\(sql)")
        }
    }

    @Test("a gate can neither see nor change the rows of another login")
    func othersRows() throws {
        let database = try store()
        let connection = try database.connect(.writer)
        #expect(try connection.query("UPDATE gate SET shipped = 9 WHERE spool = '\(Self.others)'").affected == 0)
        #expect(try connection.query("UPDATE tally SET loads = 9 WHERE gate = '\(Self.others)'").affected == 0)
        #expect(try connection.query("SELECT FROM gate WHERE spool = '\(Self.others)'").isEmpty)
        #expect(try connection.query("SELECT FROM tally WHERE gate = '\(Self.others)'").isEmpty)
    }

    @Test("a gate can look up shipped loads only of its own spools")
    func lastShipped() throws {
        let database = try store()
        let connection = try database.connect(.writer)
        func asked(_ spool: String) -> String {
            """
            SELECT last_shipped('\(spool)', ARRAY['\(Self.others)', '\(Self.own)', '\(Self.others)']::uuid[],
                ARRAY['2026-11-05', '2026-11-05', '2026-11-05']::timestamptz[])
            """
        }
        #expect(try connection.number(asked(Self.own)) == 2)
        #expect(try connection.refusal(of: asked(Self.others)) == SQLState.insufficientPrivilege)
        #expect(try database.connect(.reader).refusal(of: asked(Self.own)) == SQLState.insufficientPrivilege)
        // The superuser, who may ship any spool.
        #expect(try database.connect().number(asked(Self.own)) == 2)
    }

    @Test("a gate cannot store other content under the number of a form or a handshake")
    func falseContent() throws {
        let connection = try store().connect(.writer)
        let add = """
            SELECT add_forms(
                ARRAY['\(Self.own)']::uuid[], '{r}', '{h}', '{allowed}', '{o}', ARRAY[NULL]::uuid[], '{t}', '2026-11-05')
            """
        #expect(try connection.refusal(of: add) == SQLState.checkViolation)
        let handshake = "SELECT add_handshakes(ARRAY['\(Self.own)']::uuid[], '{t}')"
        #expect(try connection.refusal(of: handshake) == SQLState.checkViolation)
    }

    private static let forged = load.replacing("'\(own)', 1", with: "'\(others)', 1")

    @Test("a load in another gate's name is refused, also among own ones and by COPY, except for the store's owner")
    func forgedLoad() throws {
        let database = try store()
        let writer = try database.connect(.writer)
        let nobodys = Self.load.replacing("'\(Self.own)', 1", with: "gen_random_uuid(), 1")
        let row = "1, '\(Self.own)', '2026-11-05', '\(Self.own)', NULL, NULL, 'e'"
        let mixed = "INSERT INTO load VALUES ('\(Self.own)', \(row)), ('\(Self.others)', \(row))"
        for sql in [Self.forged, nobodys, mixed, "WITH one AS (\(Self.forged)) SELECT"] {
            #expect(try writer.refusal(of: sql) == SQLState.insufficientPrivilege, "\(sql)")
        }
        let uuid = PostgresUUID(high: 0, low: 0xA2)
        #expect { try copy(writer, gate: uuid, entry: "e") } throws: { error in
            if case PostgresError.refused(SQLState.insufficientPrivilege, _) = error { true } else { false }
        }
        #expect(try database.connect().number("SELECT count(*) FROM load") == 1)
        for login in [FleetDatabase.Login.maintainer, .administrator] { try database.connect(login).run(Self.forged) }
        #expect(try database.connect().number("SELECT count(*) FROM load") == 3)
    }

    @Test("a count finds a load that the owner added in the name of a gate")
    func forgedByOwner() throws {
        let database = try store()
        try database.connect().run(Self.forged)
        let reader = try database.connect(.reader)
        #expect(try FleetCheck(of: reader, counts: false).complaints.isEmpty)
        let complaints = try FleetCheck(of: reader, counts: true).complaints
        #expect(complaints.contains { $0.contains(Self.others) && $0.contains("without a form") })
    }

    @Test("an overlong value is refused with a code on which its gate skips it")
    func longLoad() throws {
        let database = try store()
        let writer = try database.connect(.writer)
        let uuid = PostgresUUID(high: 0, low: 0xA1)
        try copy(writer, gate: uuid, entry: String(repeating: "e", count: 1 << 20))
        #expect {
            try copy(writer, gate: uuid, entry: String(repeating: "e", count: (1 << 20) + 1))
        } throws: { error in
            if case PostgresError.refused("22001", _) = error { true } else { false }
        }
        #expect(try database.connect().number("SELECT count(*) FROM load") == 2)
        for (length, refusal) in [(1 << 20, "22001"), ((1 << 20) - 10, nil)] {
            let text = "repeat('t', \(length))"
            let handshake = "SELECT add_handshakes(ARRAY[handshake_id(\(text) || 't')], ARRAY[\(text) || 't'])"
            let form = """
                SELECT add_forms(ARRAY[form_id('r', 'h', 'allowed', 'o', NULL, \(text))], '{r}', '{h}', '{allowed}', '{o}',
                    ARRAY[NULL]::uuid[], ARRAY[\(text)], '2026-11-05')
                """
            // A gate computes the numbers itself.
            #expect(try database.connect().refusal(of: handshake) == refusal)
            #expect(try database.connect().refusal(of: form) == refusal)
        }
    }

    /// Copies a load as a gate does, on 2026-11-05.
    private func copy(_ connection: PostgresConnection, gate: PostgresUUID, entry: String) throws {
        try connection.copyIn("COPY load (gate, seq, id, time, form, entry) FROM STDIN (FORMAT binary)") { copy in
            try copy.row(6)
            copy.uuid(gate)
            copy.int8(2)
            copy.uuid(gate)
            copy.time(milliseconds: Self.sixth - 86_400_000)
            copy.uuid(gate)
            copy.text(entry)
        }
    }

    @Test(
        "no lock that a reader, a viewer or another gate may take delays a gate",
        arguments: [FleetDatabase.Login.reader, .viewer, .otherWriter])
    func locks(login: FleetDatabase.Login) throws {
        let database = try store()
        let holder = try database.connect(login)
        try holder.run("BEGIN")
        for key in 0..<10 { try holder.run("SELECT pg_advisory_xact_lock(1096045383, \(key))") }
        let modes = ["ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE"]
        var locked = 0
        for table in ["gate", "handshake", "form", "load", "tally", "version", "policy", "load_20261105"] {
            for mode in modes + ["SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"] {
                try holder.run("SAVEPOINT one")
                if try holder.refusal(of: "LOCK TABLE atsgate.\(table) IN \(mode) MODE NOWAIT") == nil {
                    locked += 1
                } else {
                    try holder.run("ROLLBACK TO one")
                }
            }
        }
        #expect(locked > 0)
        let writer = try database.connect(.writer, timeout: .seconds(10))
        #expect(try writer.query("SELECT make_day('2026-11-07')").first?.bool(0) == true)
    }

    @Test("readers can read everything and change nothing, a viewer can read only views, and others nothing")
    func readers() throws {
        let database = try store()
        let tables = ["gate", "handshake", "form", "load", "tally", "version"]
        let views = ["loads", "gates", "days"]
        let reader = try database.connect(.reader)
        let viewer = try database.connect(.viewer)
        let withoutRole = try database.connect(.withoutRole)
        for table in tables + views {
            #expect(try reader.refusal(of: "SELECT * FROM \(table)") == nil)
            let isForViewer = views.contains(table) || table == "version"
            #expect(try viewer.refusal(of: "SELECT * FROM \(table)") == (isForViewer ? nil : "42501"), "\(table)")
            #expect(try withoutRole.refusal(of: "SELECT * FROM atsgate.\(table)") == SQLState.insufficientPrivilege)
        }
        #expect(try reader.number("SELECT count(*) FROM gate") == 2)
        #expect(try viewer.number("SELECT count(*) FROM gates") == 2)
        for sql in tables.map({ "DELETE FROM \($0)" }) + [Self.load, "SELECT make_day('2026-11-07')"] {
            #expect(try reader.refusal(of: sql) == SQLState.insufficientPrivilege)
            #expect(try viewer.refusal(of: sql) == SQLState.insufficientPrivilege)
        }
    }
}
