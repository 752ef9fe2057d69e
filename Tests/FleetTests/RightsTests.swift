import Fleet
import Postgres
import PostgresServer
import Testing

@Suite("Rights of each role") struct RightsTests {
    private static let own = FiledRows.gate
    private static let others = "00000000-0000-0000-0000-0000000000a2"

    private static let tables = ["gate", "handshake", "shared", "diagnosis", "load", "tally", "version"]

    /// A store with a day, and a gate of each of two writers with a load.
    private func store() throws -> (database: FleetDatabase, shared: String) {
        let database = try FleetDatabase()
        let shared = try database.makeShared()
        for (login, spool) in [(FleetDatabase.Login.writer, Self.own), (.otherWriter, Self.others)] {
            try database.connect(login).run(
                """
                SELECT make_day('2026-11-05');
                INSERT INTO gate (spool, host, version) VALUES ('\(spool)', 'h', '1');
                \(FiledRows.load("2026-11-05", shared: shared, gate: spool))
                """)
        }
        return (database, shared)
    }

    @Test("a gate can write its row, days, handshakes, shared rows, diagnoses and loads")
    func writer() throws {
        let (database, shared) = try store()
        let connection = try database.connect(.writer)
        func id(_ sql: String) throws -> String {
            "'\(try database.connect().texts("SELECT (\(sql))::text")[0])'"
        }
        let diagnosis = try id("content_id(ARRAY['ats.tls-version', 't'], NULL)")
        try connection.run(
            """
            UPDATE gate SET shipped = 1, last = '\(Self.own)', seen = now(), waiting = 0 WHERE spool = '\(Self.own)';
            INSERT INTO gate (spool, host, version) VALUES ('\(Self.own)', 'new', '2')
            ON CONFLICT (spool) DO UPDATE SET host = excluded.host, version = excluded.version;
            SELECT make_day('2026-11-06');
            SELECT add_handshakes(ARRAY[\(try id("handshake_id('t')"))]::uuid[], '{t}');
            \(FiledRows.addShared(try id(FiledRows.id(host: "new")), host: "new"));
            SELECT add_diagnoses(ARRAY[\(diagnosis)]::uuid[], '{ats.tls-version}', '{t}', '2026-11-05');
            \(FiledRows.load("2026-11-06", shared: shared, diagnosis: diagnosis))
            """)
        #expect(try connection.number("SELECT loads FROM tally") == 2)
        #expect(try connection.number("SELECT count(*) FROM gate") == 1)
        let rules = try database.connect(.reader).texts("SELECT rule FROM loads WHERE time = '2026-11-06'")
        #expect(rules == ["ats.tls-version"])
    }

    @Test("a load that is filed again is ignored and not counted, whichever gate files it")
    func again() throws {
        let (database, shared) = try store()
        for (login, gate, added) in [(FleetDatabase.Login.writer, Self.own, 1), (.otherWriter, Self.others, 0)] {
            let load = FiledRows.load("2026-11-05", shared: shared, gate: gate, id: "'\(Self.own)'")
            for isAgain in [false, true] {
                #expect(try database.connect(login).number(load) == (isAgain ? 0 : Int64(added)), "\(login)")
            }
        }
        #expect(try database.connect().number("SELECT count(*) FROM load") == 3)
        #expect(try database.connect().number("SELECT sum(loads)::bigint FROM tally") == 3)
    }

    @Test(
        "the values that a gate writes are limited, so that others can add and compare them",
        arguments: [
            "UPDATE gate SET seen = 'infinity'", "UPDATE gate SET started = '-infinity'",
            "UPDATE gate SET waiting = 9223372036854775807", "UPDATE gate SET shipped = -1",
            FiledRows.recording("r2", begun: "infinity"), FiledRows.recording("r2", begun: "-infinity"),
            FiledRows.recording("r2", begun: "200000-01-01"), FiledRows.recording("r2", begun: "4000-01-01 BC"),
        ])
    func bounds(statement: String) throws {
        let connection = try store().database.connect(.writer)
        #expect(try connection.refusal(of: statement) == SQLState.checkViolation)
    }

    @Test("tallies are limited, too", arguments: ["9223372036854775807", "-1"])
    func tallyBounds(loads: String) throws {
        let connection = try store().database.connect()
        #expect(try connection.refusal(of: "UPDATE tally SET loads = \(loads)") == SQLState.checkViolation)
    }

    private static let forbiddenToWriters = [
        "SELECT * FROM load", "SELECT id FROM load", "UPDATE load SET path = 'x'", "DELETE FROM load", "TRUNCATE load",
        "INSERT INTO load SELECT", "COPY load FROM STDIN",
        "SELECT * FROM load_20261105", "INSERT INTO load_20261105 SELECT",
        "SELECT * FROM shared", "DELETE FROM shared", "UPDATE shared SET text = 't'",
        "INSERT INTO shared (id, recording) VALUES ('\(own)', 'r')",
        "SELECT * FROM diagnosis", "DELETE FROM diagnosis", "INSERT INTO diagnosis VALUES ('\(own)', 'r', 't', now())",
        "SELECT * FROM handshake", "UPDATE handshake SET text = ''", "DELETE FROM gate",
        "UPDATE gate SET owner = 'postgres'", "UPDATE gate SET spool = '\(others)'",
        "INSERT INTO gate (spool, host, version, owner) VALUES ('\(own)', '', '', '')",
        "DELETE FROM tally", "UPDATE tally SET recording = 'x'", "UPDATE tally SET loads = 9",
        "SELECT * FROM loads", "SELECT * FROM gates", "SELECT * FROM days", "SELECT drop_day('2026-11-05')",
        "INSERT INTO version (number) VALUES (2)", "DELETE FROM version", "DROP TABLE load", "SET ROLE atsgate_owner",
        "CREATE TABLE atsgate.mine (a int)", "ALTER TABLE load DETACH PARTITION load_20261105",
        "ALTER TABLE gate DISABLE ROW LEVEL SECURITY",
        "INSERT INTO tally VALUES ('\(own)', 'r', 'allowed', 9, now(), now())",
        FiledRows.recording("r2", begun: "2026-11-05", gate: others),
        """
        INSERT INTO gate (spool, host, version) VALUES ('\(others)', 'mine', '1')
        ON CONFLICT (spool) DO UPDATE SET host = 'mine'
        """,
    ]

    @Test("a gate is refused all other statements")
    func writerIsRefused() throws {
        let connection = try store().database.connect(.writer)
        for sql in Self.forbiddenToWriters {
            #expect(try connection.refusal(of: sql) == SQLState.insufficientPrivilege, "\(sql)")
        }
    }

    @Test("a gate can neither see nor change the rows of another login")
    func othersRows() throws {
        let connection = try store().database.connect(.writer)
        #expect(try connection.query("UPDATE gate SET shipped = 9 WHERE spool = '\(Self.others)'").affected == 0)
        #expect(try connection.query("SELECT FROM gate WHERE spool = '\(Self.others)'").isEmpty)
        #expect(try connection.query("SELECT FROM tally WHERE gate = '\(Self.others)'").isEmpty)
        #expect(try connection.query("SELECT FROM tally").count == 1)
    }

    @Test("a gate cannot store other content under the id of a shared row, a diagnosis or a handshake")
    func falseContent() throws {
        let connection = try store().database.connect(.writer)
        for sql in [
            FiledRows.addShared("'\(Self.own)'", host: "h"),
            "SELECT add_diagnoses(ARRAY['\(Self.own)']::uuid[], '{r}', '{t}', '2026-11-05')",
            "SELECT add_handshakes(ARRAY['\(Self.own)']::uuid[], '{t}')",
        ] {
            #expect(try connection.refusal(of: sql) == SQLState.checkViolation, "\(sql)")
        }
    }

    @Test("a load whose shared row or diagnosis is missing is refused, as readers could not read it")
    func incompleteLoad() throws {
        let (database, shared) = try store()
        let writer = try database.connect(.writer)
        for sql in [
            FiledRows.load("2026-11-05", shared: "'\(Self.own)'"),
            FiledRows.load("2026-11-05", shared: shared, diagnosis: "'\(Self.own)'"),
        ] {
            #expect(try writer.refusal(of: sql) == SQLState.notInPrerequisiteState)
        }
        #expect(try database.connect().number("SELECT count(*) FROM load") == 2)
    }

    @Test("a load in another gate's name is refused, except for the store's owner")
    func forgedLoad() throws {
        let (database, shared) = try store()
        let forged = FiledRows.load("2026-11-05", shared: shared, gate: Self.others)
        let unknown = FiledRows.load("2026-11-05", shared: shared, gate: "00000000-0000-0000-0000-0000000000a3")
        let writer = try database.connect(.writer)
        for sql in [forged, unknown] {
            #expect(try writer.refusal(of: sql) == SQLState.insufficientPrivilege, "\(sql)")
        }
        #expect(try database.connect().number("SELECT count(*) FROM load") == 2)
        for login in [FleetDatabase.Login.maintainer, .administrator] { try database.connect(login).run(forged) }
        #expect(try database.connect().number("SELECT count(*) FROM load") == 4)
        #expect(try FleetCheck(of: database.connect(.reader), counts: true).complaints.isEmpty)
    }

    @Test("a count finds a load that the owner added in the name of a gate")
    func forgedByOwner() throws {
        let database = try store().database
        try database.connect().run(
            """
            INSERT INTO load (gate, seq, id, time, shared, path, client, method, sent, received, total)
            VALUES ('\(Self.others)', 2, '\(Self.own)', '2026-11-05', '\(Self.own)', '/', '', 'GET', 0, 0, 1)
            """)
        let reader = try database.connect(.reader)
        #expect(try FleetCheck(of: reader, counts: false).complaints.isEmpty)
        let complaints = try FleetCheck(of: reader, counts: true).complaints
        #expect(complaints.contains { $0.contains(Self.others) && $0.contains("without a shared row") })
    }

    @Test("an overlong value is refused with a code on which its gate skips it")
    func longLoad() throws {
        let (database, shared) = try store()
        let writer = try database.connect(.writer)
        // The client and the method count, too.
        for (length, refusal) in [((1 << 20) - 14, nil), ((1 << 20) - 13, "22001")] as [(Int, String?)] {
            let load = FiledRows.load("2026-11-05", shared: shared, path: "repeat('p', \(length))")
            #expect(try writer.refusal(of: load) == refusal, "\(length)")
        }
        #expect(try database.connect().number("SELECT count(*) FROM load") == 3)
        let administrator = try database.connect()
        for (length, refusal) in [(1 << 20, "22001"), ((1 << 20) - 100, nil)] as [(Int, String?)] {
            let text = "repeat('t', \(length))"
            for sql in [
                "SELECT add_handshakes(ARRAY[handshake_id(\(text) || 't')], ARRAY[\(text) || 't'])",
                FiledRows.addShared(FiledRows.id(host: "h", text: text), host: "h", text: text),
                """
                SELECT add_diagnoses(
                    ARRAY[content_id(ARRAY['r', \(text)], NULL)], '{r}', ARRAY[\(text)], '2026-11-05')
                """,
            ] {
                // A gate computes the ids itself.
                #expect(try administrator.refusal(of: sql) == refusal, "\(sql)")
            }
        }
    }

    @Test(
        "no lock that a reader, a viewer or another gate may take delays a gate",
        arguments: [FleetDatabase.Login.reader, .viewer, .otherWriter])
    func locks(login: FleetDatabase.Login) throws {
        let database = try store().database
        let holder = try database.connect(login)
        try holder.run("BEGIN")
        for key in 0..<10 { try holder.run("SELECT pg_advisory_xact_lock(1096045383, \(key))") }
        let modes = ["ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE"]
        var locked = 0
        for table in Self.tables + ["policy", "load_20261105"] {
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
        let (database, shared) = try store()
        let views = ["loads", "gates", "days"]
        let reader = try database.connect(.reader)
        let viewer = try database.connect(.viewer)
        let withoutRole = try database.connect(.withoutRole)
        for table in Self.tables + views {
            #expect(try reader.refusal(of: "SELECT * FROM \(table)") == nil)
            let isForViewer = views.contains(table) || table == "version"
            #expect(try viewer.refusal(of: "SELECT * FROM \(table)") == (isForViewer ? nil : "42501"), "\(table)")
            #expect(try withoutRole.refusal(of: "SELECT * FROM atsgate.\(table)") == SQLState.insufficientPrivilege)
        }
        #expect(try reader.number("SELECT count(*) FROM gate") == 2)
        #expect(try viewer.number("SELECT count(*) FROM gates") == 2)
        let load = FiledRows.load("2026-11-05", shared: shared)
        for sql in Self.tables.map({ "DELETE FROM \($0)" }) + [load, "SELECT make_day('2026-11-07')"] {
            #expect(try reader.refusal(of: sql) == SQLState.insufficientPrivilege)
            #expect(try viewer.refusal(of: sql) == SQLState.insufficientPrivilege)
        }
    }
}
