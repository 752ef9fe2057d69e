import Fleet
import Postgres
import Testing

@Suite("Days of a shared store") struct DayTests {
    @Test("24 concurrent writers create a day once, while another has uncommitted rows")
    func manyAtOnce() async throws {
        let database = try FleetDatabase()
        let shared = try database.makeShared()
        let copying = try database.connect(.writer)
        #expect(try copying.query("SELECT make_day('2026-11-05')").first?.bool(0) == true)
        try copying.run("BEGIN; \(Self.load("2026-11-05", shared))")
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    let connection = try database.connect(.writer)
                    return try connection.query("SELECT make_day('2026-11-06')").first?.bool(0) ?? false
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.filter(\.self).count == 1 && made.count == 24)
        try copying.run("\(Self.load("2026-11-06", shared)); COMMIT")
        let days = try database.connect(.reader).texts("SELECT day::text FROM days WHERE day < '2026-11-07' ORDER BY 1")
        #expect(days == ["2026-11-05", "2026-11-06"])
    }

    @Test("a load without a day is refused with the code on which a gate creates one")
    func missingDay() throws {
        let database = try FleetDatabase()
        let connection = try database.connect(.writer)
        let load = Self.load("2026-11-05", try database.makeShared())
        #expect(try connection.refusal(of: load) == SQLState.checkViolation)
    }

    @Test("days before 1970 and after 9999 are refused")
    func bounds() throws {
        let database = try FleetDatabase()
        let connection = try database.connect(.writer)
        for day in ["1969-12-31", "9999-12-31", "10000-01-01", "infinity", "-infinity", "0044-03-15 BC"] {
            #expect(try connection.refusal(of: "SELECT make_day('\(day)')") == SQLState.outOfRange, "\(day)")
        }
        #expect(try connection.refusal(of: "SELECT make_day(NULL)") == SQLState.outOfRange)
        #expect(try connection.query("SELECT make_day('1970-01-01'), make_day('9999-12-30')").first?.bool(1) == true)
    }

    @Test("a login that created all the past and future days it may does not stop others from creating current days")
    func outOfTurn() throws {
        let database = try FleetDatabase()
        // The limit of 1000 tables takes long to reach, so the function gets a smaller one.
        try database.connect().run(
            """
            DO $$ BEGIN EXECUTE replace(pg_get_functiondef('make_day'::regproc), '>= 1000', '>= 2'); END $$
            """)
        let connection = try database.connect(.writer)
        try connection.run("SELECT make_day('9000-02-28'), make_day('2020-02-29')")
        #expect(try connection.refusal(of: "SELECT make_day('2020-03-01')") == SQLState.programLimitExceeded)
        #expect(try connection.refusal(of: "SELECT make_day('2020-02-29')") == nil)
        for ago in -7..<3 { try connection.run("SELECT make_day((now() AT TIME ZONE 'UTC')::date - \(ago))") }
        for login in [FleetDatabase.Login.otherWriter, .maintainer] {
            try database.connect(login).run("SELECT make_day('2020-03-0\(login == .maintainer ? 1 : 2)')")
        }
        _ = try DayRetention(ageMilliseconds: 86_400_000 * 365).prune(on: database.connect(.maintainer))
        try connection.run("SELECT make_day('2020-03-01')")
    }

    @Test("a day is a UTC day, whatever the caller's time zone and date style")
    func zone() throws {
        let database = try FleetDatabase()
        let shared = try database.makeShared()
        let connection = try database.connect(.writer)
        try connection.run("SET TimeZone = 'Pacific/Auckland'; SET DateStyle = 'German'; SELECT make_day('05.11.2026')")
        for time in ["2026-11-05 00:00:00Z", "2026-11-05 23:59:59.999999Z"] {
            #expect(try connection.refusal(of: Self.load(time, shared)) == nil)
        }
        let before = Self.load("2026-11-04 23:59:59.999Z", shared)
        #expect(try connection.refusal(of: before) == SQLState.checkViolation)
        let days = try database.connect(.reader).texts("SELECT day::text FROM days WHERE day < '2026-11-07'")
        #expect(days == ["2026-11-05"])
    }

    private static let ahead = """
        SELECT day - (now() AT TIME ZONE 'UTC')::date FROM days WHERE attached AND day >= (now() AT TIME ZONE 'UTC')::date
        ORDER BY 1
        """

    private func ahead(_ connection: PostgresConnection) throws -> [Int64] {
        try connection.query(Self.ahead).map { try $0.int(0) }
    }

    /// Drops the days from yesterday on, as after eight days without activity.
    private func forgetWeek(_ connection: PostgresConnection) throws {
        let names = try connection.texts(
            "SELECT 'load_' || to_char(day, 'YYYYMMDD') FROM days WHERE day >= now()::date - 1")
        for name in names { try connection.run("DROP TABLE \(name)") }
    }

    @Test("days exist for a week ahead, after init, a new day, new shared rows or a prune")
    func ahead() throws {
        let database = try FleetDatabase()
        let administrator = try database.connect()
        let writer = try database.connect(.writer)
        let week: [Int64] = [0, 1, 2, 3, 4, 5, 6, 7]
        #expect(try ahead(administrator) == week)
        #expect(try FleetCheck(of: administrator, counts: false).days?.count == 1)
        try administrator.run("GRANT SELECT ON days TO atsgate_writer")
        let ways: [() throws -> Void] = [
            { try writer.run("SELECT make_day('2026-11-05')") },
            { try writer.run("SELECT make_day((now() AT TIME ZONE 'UTC')::date)") },
            { try writer.run(FiledRows.addNoShared) },
            { _ = try DayRetention().prune(on: database.connect(.maintainer)) },
            { _ = try SharedSchema.make(on: database.connect(.maintainer)) },
        ]
        for (place, way) in ways.enumerated() {
            try forgetWeek(administrator)
            let complaints = try FleetCheck(of: administrator, counts: false).complaints
            #expect(complaints.count == 1 && complaints[0].contains("no day for loads of"), "\(complaints)")
            try way()
            #expect(try ahead(writer) == week, "\(place)")
            #expect(try FleetCheck(of: administrator, counts: false).complaints.isEmpty, "\(place)")
        }
    }

    @Test("an open transaction that created a day delays no existing day, and is named by a check")
    func heldLock() throws {
        let database = try FleetDatabase()
        let holder = try database.connect(.otherWriter)
        // For an existing day no lock is held.
        try holder.run("BEGIN; SELECT make_day((now() AT TIME ZONE 'UTC')::date)")
        let writer = try database.connect(.writer, timeout: .seconds(10))
        #expect(try writer.query("SELECT make_day('2026-11-05')").first?.bool(0) == true)
        try holder.run("COMMIT; BEGIN; SELECT make_day('2026-11-06')")
        for ago in -7...0 {
            let made = try writer.query("SELECT make_day((now() AT TIME ZONE 'UTC')::date - \(ago))")
            #expect(try made.first?.bool(0) == false)
        }
        let process = try #require(try holder.number("SELECT pg_backend_pid()::int8"))
        let named = "a transaction of test_other_writer, process \(process), blocks the creation of days"
        let told = [(FleetDatabase.Login.reader, "(members of pg_read_all_stats"), (.administrator, "since 2")]
        for (login, since) in told {
            let complaints = try FleetCheck(of: database.connect(login), counts: false).complaints
            #expect(complaints.count == 1 && complaints[0].hasPrefix("\(named) \(since)"), "\(complaints)")
        }
        try holder.run("ROLLBACK")
        #expect(try FleetCheck(of: database.connect(.reader), counts: false).complaints.isEmpty)
        // Shared rows are also added if days ahead are missing.
        try forgetWeek(database.connect())
        let maintainer = try database.connect(.maintainer)
        try maintainer.run("BEGIN; LOCK TABLE load IN SHARE UPDATE EXCLUSIVE MODE")
        #expect(try writer.refusal(of: FiledRows.addNoShared) == nil)
        #expect(try writer.refusal(of: "SELECT make_day((now() AT TIME ZONE 'UTC')::date)") == "55P03")
    }

    /// SQL that files a load of a gate, which it makes if it does not exist.
    static func load(_ time: String, _ shared: String) -> String {
        """
        INSERT INTO gate (spool, host, version) VALUES ('\(FiledRows.gate)', 'h', '1') ON CONFLICT (spool) DO NOTHING;
        \(FiledRows.load(time, shared: shared))
        """
    }
}
