import Fleet
import Postgres
import Testing

@Suite("Taking days out") struct DayRetentionTests {
    private static let gate = "00000000-0000-0000-0000-0000000000a1"

    /// Two loads on each of the days, counted from today back, of a form for each day and one for all of them.
    private func store(daysAgo: [Int]) throws -> FleetDatabase {
        let database = try FleetDatabase()
        let connection = try database.connect()
        try connection.run("INSERT INTO gate (spool, host, version, seen) VALUES ('\(Self.gate)', 'h', '1', now())")
        for ago in daysAgo {
            let day = "((now() AT TIME ZONE 'UTC')::date - \(ago))"
            try connection.run(
                """
                SELECT make_day(\(day));
                INSERT INTO handshake (id, text, last_day) SELECT handshake_id('\(ago)'), '\(ago)', \(day);
                """)
            for host in ["all.test", "day\(ago).test"] {
                try connection.run(
                    """
                    INSERT INTO form SELECT
                        form_id('r', '\(host)', 'blocked', 'ios26.4', NULL, 't'), 'r', '\(host)', 'blocked', 'ios26.4',
                        CASE WHEN '\(host)' <> 'all.test' THEN NULL::uuid END, 't', \(day)
                    ON CONFLICT (id) DO UPDATE SET last_day = greatest(form.last_day, excluded.last_day);
                    INSERT INTO load SELECT '\(Self.gate)', 1, '\(Self.gate)', \(day)::timestamp AT TIME ZONE 'UTC',
                        form_id('r', '\(host)', 'blocked', 'ios26.4', NULL, 't'), 'x', NULL, 'e';
                    INSERT INTO tally VALUES ('\(Self.gate)', 'r', 'blocked', 1, now() - interval '50 days', now())
                    ON CONFLICT (gate, recording, verdict) DO UPDATE SET loads = tally.loads + 1;
                    """)
            }
        }
        return database
    }

    private func days(_ connection: PostgresConnection) throws -> [Int64] {
        try connection.query("SELECT (now() AT TIME ZONE 'UTC')::date - day FROM days WHERE attached ORDER BY day DESC")
            .map { try $0.int(0) }
    }

    private static let day: Int64 = 86_400_000

    @Test("days that ended long enough ago go, with their loads' counts, forms and handshakes; the others stay")
    func byAge() throws {
        let database = try store(daysAgo: [0, 1, 5, 9, 40])
        let connection = try database.connect(.maintainer)
        var told: [Int64] = []
        let outcome = try DayRetention(ageMilliseconds: 7 * Self.day).prune(on: connection) { told.append($1) }
        #expect(told == [2, 2] && outcome.loads == 4 && outcome.days.count == 2)
        #expect(try days(connection) == [0, 1, 5])
        #expect(try connection.number("SELECT loads FROM tally") == 6)
        #expect(try connection.number("SELECT count(*) FROM load") == 6)
        let hosts = try connection.texts("SELECT host FROM form ORDER BY 1")
        #expect(hosts == ["all.test", "day0.test", "day1.test", "day5.test"])
        #expect(try connection.texts("SELECT text FROM handshake ORDER BY 1") == ["0", "1", "5"])
        #expect(outcome.leftovers == 4)
        #expect(try FleetCheck(of: connection, counts: true).complaints.isEmpty)
        let again = try DayRetention(ageMilliseconds: 7 * Self.day).prune(on: connection)
        #expect(again.days.isEmpty && again.loads == 0 && again.leftovers == 0)
    }

    @Test("the oldest days go until the rest is small enough, and today stays whatever its size")
    func bySize() throws {
        let database = try store(daysAgo: [0, 1, 2, 3])
        let connection = try database.connect(.maintainer)
        let size = try #require(try connection.number("SELECT max(bytes) FROM days"))
        _ = try DayRetention(bytes: 2 * size).prune(on: connection)
        #expect(try days(connection) == [0, 1])
        _ = try DayRetention(bytes: 0).prune(on: connection)
        #expect(try days(connection) == [0])
        #expect(try connection.number("SELECT loads FROM tally") == 2)
    }

    @Test("a day goes while gates write to another, and is made again for a load that comes late")
    func besideWriters() throws {
        let database = try store(daysAgo: [0, 9])
        let writer = try database.connect(.writer)
        let connection = try database.connect(.maintainer)
        let late = try connection.texts("SELECT day::text FROM days ORDER BY day")[0]
        try writer.run("INSERT INTO gate (spool, host, version) SELECT gen_random_uuid(), 'h', '1'")
        _ = try DayRetention(ageMilliseconds: Self.day).prune(on: connection)
        #expect(try writer.refusal(of: DayTests.load(late, form: "NULL::uuid", host: "h")) == SQLState.checkViolation)
        try writer.run("SELECT make_day('\(late)')")
        #expect(try writer.refusal(of: DayTests.load(late, form: "NULL::uuid", host: "h")) == nil)
    }

    @Test("what an interrupted prune has left is told by a check, can be a day again, and is ended by the next prune")
    func interrupted() throws {
        let database = try store(daysAgo: [0, 9])
        let connection = try database.connect(.maintainer)
        let names = try connection.texts("SELECT 'load_' || to_char(day, 'YYYYMMDD') FROM days ORDER BY day")
        try connection.run("ALTER TABLE load DETACH PARTITION \(names[0]) CONCURRENTLY")
        #expect(try FleetCheck(of: connection, counts: false).complaints.contains { $0.contains("interrupted prune") })
        let day = try connection.texts("SELECT day::text FROM days WHERE NOT attached")[0]
        try database.connect(.writer).run("SELECT make_day('\(day)')")
        #expect(try days(connection) == [0, 9])
        #expect(try connection.number("SELECT count(*) FROM load") == 4)
        try connection.run("ALTER TABLE load DETACH PARTITION \(names[0]) CONCURRENTLY")
        let outcome = try DayRetention().prune(on: connection)
        #expect(outcome.days == [day] && outcome.loads == 2)
        #expect(try connection.number("SELECT count(*) FROM days") == 1)
    }

    @Test("only a maintainer prunes, and only one at a time")
    func whoMay() throws {
        let database = try store(daysAgo: [0, 9])
        for login in [FleetDatabase.Login.reader, .grafana] {
            #expect { try DayRetention(ageMilliseconds: Self.day).prune(on: database.connect(login)) } throws: {
                error in
                if case PostgresError.refused(SQLState.insufficientPrivilege, _) = error { true } else { false }
            }
        }
        let other = try database.connect(.maintainer)
        try other.run("SELECT pg_advisory_lock(1096045383, 3)")
        #expect(throws: SchemaError.self) { try DayRetention().prune(on: database.connect(.maintainer)) }
        #expect(try days(other) == [0, 9])
    }
}
