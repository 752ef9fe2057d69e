import Fleet
import Postgres
import Processes
import Testing

@Suite("Deleting days") struct DayRetentionTests {
    private static let gate = FiledRows.gate

    /// A store with two loads on each of the days before today: one with a shared row and a diagnosis of that day, one
    /// with a common shared row.
    private func store(daysAgo: [Int]) throws -> FleetDatabase {
        let database = try FleetDatabase()
        let connection = try database.connect()
        try connection.run(
            """
            INSERT INTO gate (spool, host, version, owner, seen)
            VALUES ('\(Self.gate)', 'h', '1', 'test_writer', now())
            """)
        for ago in daysAgo {
            let day = "((now() AT TIME ZONE 'UTC')::date - \(ago))"
            try connection.run(
                """
                SELECT make_day(\(day));
                INSERT INTO handshake (id, text, last_day) SELECT handshake_id('\(ago)'), '\(ago)', \(day);
                INSERT INTO diagnosis (id, text, last_day)
                SELECT content_id(ARRAY[NULL, '\(ago)'], NULL), '\(ago)', \(day);
                """)
            for host in ["all.test", "day\(ago).test"] {
                try connection.run(
                    """
                    \(FiledRows.insertShared(host: host, day: day))
                    INSERT INTO load
                        (gate, seq, id, time, shared, diagnosis, path, client, method, sent, received, total)
                    SELECT '\(Self.gate)', 1, gen_random_uuid(), \(day)::timestamp AT TIME ZONE 'UTC',
                        \(FiledRows.id(host: host)),
                        CASE WHEN '\(host)' <> 'all.test' THEN content_id(ARRAY[NULL, '\(ago)'], NULL) END,
                        '/', '192.0.2.1:1', 'GET', 0, 0, 1;
                    INSERT INTO tally VALUES ('\(Self.gate)', 'r', 'blocked', 1, now() - interval '50 days', now())
                    ON CONFLICT (gate, recording, verdict) DO UPDATE SET loads = tally.loads + 1;
                    """)
            }
        }
        return database
    }

    private func days(_ connection: PostgresConnection) throws -> [Int64] {
        try connection.query(
            """
            SELECT (now() AT TIME ZONE 'UTC')::date - day FROM days
            WHERE attached AND day <= (now() AT TIME ZONE 'UTC')::date ORDER BY day DESC
            """
        ).map { try $0.int(0) }
    }

    private static let day: Int64 = 86_400_000

    @Test("days that ended long ago are deleted with their counts and what only they share; the others stay")
    func byAge() throws {
        let database = try store(daysAgo: [0, 1, 5, 9, 40])
        let connection = try database.connect(.maintainer)
        var deleted: [Int64] = []
        let outcome = try DayRetention(ageMilliseconds: 7 * Self.day).prune(on: connection) { deleted.append($1) }
        #expect(deleted == [2, 2] && outcome.loads == 4 && outcome.days.count == 2)
        #expect(try days(connection) == [0, 1, 5])
        #expect(try connection.number("SELECT loads FROM tally") == 6)
        #expect(try connection.number("SELECT count(*) FROM load") == 6)
        let hosts = try connection.texts("SELECT host FROM shared ORDER BY 1")
        #expect(hosts == ["all.test", "day0.test", "day1.test", "day5.test"])
        for table in ["handshake", "diagnosis"] {
            #expect(try connection.texts("SELECT text FROM \(table) ORDER BY 1") == ["0", "1", "5"], "\(table)")
        }
        #expect(outcome.leftovers == 6)
        #expect(try FleetCheck(of: connection, counts: true).complaints.isEmpty)
        let again = try DayRetention(ageMilliseconds: 7 * Self.day).prune(on: connection)
        #expect(again.days.isEmpty && again.loads == 0 && again.leftovers == 0)
    }

    @Test("the oldest days are deleted until the rest is small enough, and today stays whatever its size")
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

    @Test("loads filed ahead delete no earlier day: a week ahead is not counted, and later days are deleted first")
    func aheadBySize() throws {
        let database = try store(daysAgo: [0, 1, 2, -1, -8, -9])
        let connection = try database.connect(.maintainer)
        try connection.run(
            """
            INSERT INTO load (gate, seq, id, time, shared, path, client, method, sent, received, total)
            SELECT '\(Self.gate)', n, gen_random_uuid(),
                (now() AT TIME ZONE 'UTC')::date::timestamp AT TIME ZONE 'UTC' + ahead * interval '1 day',
                gen_random_uuid(), '/', '192.0.2.1:1', 'GET', 0, 0, 1
            FROM generate_series(1, 2000) n, unnest(ARRAY[1, 8, 9]) ahead
            """)
        let old = try #require(try connection.number("SELECT sum(bytes)::int8 FROM days WHERE day <= now()::date"))
        let ninth = try connection.texts("SELECT max(day)::text FROM days")
        let far = try #require(try connection.number("SELECT bytes FROM days ORDER BY day DESC OFFSET 1 LIMIT 1"))
        #expect(far > old)
        #expect(try DayRetention(bytes: old + far).prune(on: connection).days == ninth)
        #expect(try DayRetention(bytes: old).prune(on: connection).days.count == 1)
        #expect(try days(connection) == [0, 1, 2])
        _ = try DayRetention(bytes: 0).prune(on: connection)
        #expect(try days(connection) == [0])
        #expect(try connection.number("SELECT count(*) FROM load WHERE time > now()") == 2002)
    }

    @Test("a day is deleted while gates write to another, and is created again for a late load")
    func besideWriters() throws {
        let database = try store(daysAgo: [0, 9])
        let writer = try database.connect(.writer)
        let connection = try database.connect(.maintainer)
        let late = try connection.texts("SELECT day::text FROM days ORDER BY day")[0]
        let shared = try database.makeShared()
        try writer.run("INSERT INTO gate (spool, host, version) SELECT gen_random_uuid(), 'h', '1'")
        _ = try DayRetention(ageMilliseconds: Self.day).prune(on: connection)
        #expect(try writer.refusal(of: DayTests.load(late, shared)) == SQLState.checkViolation)
        try writer.run("SELECT make_day('\(late)')")
        #expect(try writer.refusal(of: DayTests.load(late, shared)) == nil)
    }

    @Test("a check reports an interrupted prune; its day can be used again, and the next prune completes it")
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
        #expect(try days(connection) == [0])
    }

    @Test("a day left by a prune is deleted without the counts of an earlier day whose loads came since")
    func earlierDay() throws {
        let database = try store(daysAgo: [0, 9, 20])
        let connection = try database.connect(.maintainer)
        let names = try connection.texts("SELECT 'load_' || to_char(day, 'YYYYMMDD') FROM days ORDER BY day")
        try connection.run("ALTER TABLE load DETACH PARTITION \(names[1])")
        #expect(try DayRetention().prune(on: connection).days.count == 1)
        let first = "SELECT (now() AT TIME ZONE 'UTC')::date - (first_time AT TIME ZONE 'UTC')::date FROM tally"
        #expect(try connection.number(first) == 20)
        #expect(try DayRetention(ageMilliseconds: 5 * Self.day).prune(on: connection).days.count == 1)
        #expect(try connection.number(first) == 19)
    }

    @Test("a shared row with an endless last day is deleted as others are, unless a future load needs it")
    func rowsForEver() throws {
        let database = try store(daysAgo: [0, -40])
        let connection = try database.connect(.maintainer)
        func add(_ host: String, _ day: String) throws {
            try connection.run(FiledRows.addShared(FiledRows.id(host: host), host: host, day: day))
        }
        try add("ever.test", "infinity")
        try add("day-40.test", "9000-01-01")
        try connection.run("UPDATE shared SET last_day = 'infinity' WHERE host = 'all.test'")
        #expect(try connection.number("SELECT count(*) FROM shared WHERE last_day = '9999-12-30'") == 1)
        _ = try DayRetention().prune(on: connection)
        let hosts = "SELECT host FROM shared WHERE last_day > (now() AT TIME ZONE 'UTC')::date ORDER BY 1"
        #expect(try connection.texts(hosts) == ["all.test", "day-40.test"])
        #expect(try connection.number("SELECT count(*) FROM shared") == 4)
        // Two days later.
        try connection.run("UPDATE shared SET last_day = last_day - 2 WHERE isfinite(last_day)")
        _ = try DayRetention().prune(on: connection)
        #expect(try connection.texts("SELECT host FROM shared ORDER BY 1") == ["all.test", "day-40.test"])
    }

    private func prune(_ database: FleetDatabase) -> BackgroundWork<DayRetention.Outcome> {
        BackgroundWork { try DayRetention(ageMilliseconds: Self.day).prune(on: database.connect(.maintainer)) }
    }

    /// The maintainer's connections that wait for a lock or a timeout.
    private static let waiting = """
        FROM pg_stat_activity
        WHERE datname = current_database() AND usename = 'test_maintainer' AND wait_event_type IN ('Lock', 'Timeout')
        """

    private func waits(_ administrator: PostgresConnection, count: Int64 = 1) throws -> Bool {
        try holds(within: 60) { try administrator.number("SELECT count(*) \(Self.waiting)") == count }
    }

    /// Ends the waiting connection. Between two attempts at a lock a prune does not wait, for a moment.
    private func end(_ administrator: PostgresConnection) throws -> Bool {
        try holds(within: 60) {
            try administrator.number("SELECT count(pg_terminate_backend(pid)) \(Self.waiting)") == 1
        }
    }

    @Test("a prune waits for a reader while a gate files loads of that day; if it is killed, the day stays")
    func besideReaders() throws {
        let database = try store(daysAgo: [0, 9])
        let administrator = try database.connect()
        let reader = try database.connect(.reader)
        try reader.run("BEGIN; SELECT FROM load LIMIT 1")
        let killed = prune(database)
        let isWaiting = try waits(administrator)
        try #require(isWaiting)
        let writer = try database.connect(.writer, timeout: .seconds(10))
        let load = DayTests.load(
            try administrator.texts("SELECT day::text FROM days ORDER BY day")[0], try database.makeShared())
        #expect(try writer.refusal(of: load) == nil)
        let isEnded = try end(administrator)
        try #require(isEnded)
        #expect(throws: PostgresError.self) { try killed.value() }
        #expect(try days(administrator) == [0, 9])
        #expect(try FleetCheck(of: administrator, counts: false).complaints.isEmpty)
        #expect(try writer.refusal(of: load) == nil)
        let other = prune(database)
        let isWaitingAgain = try waits(administrator)
        try #require(isWaitingAgain)
        try reader.run("COMMIT")
        #expect(try other.value().loads == 4)
        #expect(try days(administrator) == [0])
    }

    /// Leaves a day half detached, as an older atsgate did when a concurrent detach was interrupted by a reader.
    private func leaveHalfDetached(_ day: String, _ database: FleetDatabase) throws {
        let administrator = try database.connect()
        let reader = try database.connect(.reader)
        try reader.run("BEGIN; SELECT FROM load LIMIT 1")
        let name = try administrator.texts("SELECT 'load_' || to_char('\(day)'::date, 'YYYYMMDD')")[0]
        let detaching = BackgroundWork {
            try database.connect(.maintainer).run("ALTER TABLE load DETACH PARTITION \(name) CONCURRENTLY")
        }
        let isEnded = try end(administrator)
        try #require(isEnded)
        #expect(throws: PostgresError.self) { try detaching.value() }
        #expect(try administrator.texts("SELECT day::text FROM days WHERE detaching") == [day])
        // The reader still runs, so a repair gives up soon and delays no other connection.
        let writer = try database.connect(.writer)
        #expect(try writer.refusal(of: "SELECT make_day('\(day)')") == "55P03")
        try reader.run("COMMIT")
    }

    @Test("a half-detached day is attached again for a gate that needs it, and deleted by the next prune")
    func halfDetached() throws {
        let database = try store(daysAgo: [0, 9])
        let connection = try database.connect(.maintainer)
        let writer = try database.connect(.writer)
        let day = try connection.texts("SELECT day::text FROM days ORDER BY day")[0]
        let load = DayTests.load(day, try database.makeShared())
        try leaveHalfDetached(day, database)
        #expect(try FleetCheck(of: connection, counts: false).complaints.contains { $0.contains("interrupted prune") })
        #expect(try writer.refusal(of: load) == SQLState.checkViolation)
        #expect(try writer.query("SELECT make_day('\(day)')").first?.bool(0) == true)
        #expect(try writer.refusal(of: load) == nil)
        #expect(try FleetCheck(of: connection, counts: false).complaints.isEmpty)
        try leaveHalfDetached(day, database)
        let outcome = try DayRetention().prune(on: connection)
        #expect(outcome.days == [day] && outcome.loads == 3)
        #expect(try days(connection) == [0])
    }

    @Test("only a maintainer can prune, and two prunes at the same time delete each day once")
    func whoMay() throws {
        let database = try store(daysAgo: [0, 9])
        for login in [FleetDatabase.Login.reader, .viewer] {
            #expect { try DayRetention(ageMilliseconds: Self.day).prune(on: database.connect(login)) } throws: {
                error in
                if case PostgresError.refused(SQLState.insufficientPrivilege, _) = error { true } else { false }
            }
        }
        let administrator = try database.connect()
        let reader = try database.connect(.reader)
        try reader.run("BEGIN; SELECT FROM load LIMIT 1")
        let both = [prune(database), prune(database)]
        let areWaiting = try waits(administrator, count: 2)
        try #require(areWaiting)
        try reader.run("COMMIT")
        let outcomes = try both.map { try $0.value() }
        #expect(outcomes.map(\.loads).reduce(0, +) == 2 && outcomes.flatMap(\.days).count == 1)
        #expect(try days(administrator) == [0])
    }
}
