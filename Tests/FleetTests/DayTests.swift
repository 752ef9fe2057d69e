import Fleet
import Postgres
import Testing

@Suite("Days of a shared store") struct DayTests {
    @Test("24 writers at once make a day once, while another has rows of a transaction open")
    func manyAtOnce() async throws {
        let database = try FleetDatabase()
        let copying = try database.connect(.writer)
        #expect(try copying.query("SELECT make_day('2026-11-05')").first?.bool(0) == true)
        try copying.run("BEGIN; \(Self.load("2026-11-05", form: "NULL::uuid", host: "h"))")
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
        try copying.run("\(Self.load("2026-11-06", form: "NULL::uuid", host: "h")); COMMIT")
        let days = try database.connect(.reader).texts("SELECT day::text FROM days WHERE attached ORDER BY 1")
        #expect(days == ["2026-11-05", "2026-11-06"])
    }

    @Test("a load without a day is refused by the code that tells a gate to make one")
    func missingDay() throws {
        let connection = try FleetDatabase().connect(.writer)
        let load = Self.load("2026-11-05", form: "NULL::uuid", host: "h")
        #expect(try connection.refusal(of: load) == SQLState.checkViolation)
    }

    @Test("days before 1970 and behind 9999 are refused")
    func bounds() throws {
        let database = try FleetDatabase()
        let connection = try database.connect(.writer)
        for day in ["1969-12-31", "9999-12-31", "10000-01-01", "infinity", "-infinity", "0044-03-15 BC"] {
            #expect(try connection.refusal(of: "SELECT make_day('\(day)')") == SQLState.outOfRange, "\(day)")
        }
        #expect(try connection.refusal(of: "SELECT make_day(NULL)") == SQLState.outOfRange)
        #expect(try connection.query("SELECT make_day('1970-01-01'), make_day('9999-12-30')").first?.bool(1) == true)
    }

    @Test("a login that has made all days of long ago and to come that it may keeps nobody from making those of now")
    func outOfTurn() throws {
        let database = try FleetDatabase()
        // A bound of 1000 tables takes a while to reach: the function is told a smaller one.
        try database.connect().run(
            """
            DO $$ BEGIN EXECUTE replace(pg_get_functiondef('make_day'::regproc), '>= 1000', '>= 2'); END $$
            """)
        let connection = try database.connect(.writer)
        try connection.run("SELECT make_day('9000-02-28'), make_day('2020-02-29')")
        #expect(try connection.refusal(of: "SELECT make_day('2020-03-01')") == SQLState.programLimitExceeded)
        #expect(try connection.refusal(of: "SELECT make_day('2020-02-29')") == nil)
        for ago in -1..<3 { try connection.run("SELECT make_day((now() AT TIME ZONE 'UTC')::date - \(ago))") }
        for login in [FleetDatabase.Login.otherWriter, .maintainer] {
            try database.connect(login).run("SELECT make_day('2020-03-0\(login == .maintainer ? 1 : 2)')")
        }
        _ = try DayRetention(ageMilliseconds: 86_400_000 * 365).prune(on: database.connect(.maintainer))
        try connection.run("SELECT make_day('2020-03-01')")
    }

    @Test("a day is one of UTC, whatever the caller's zone and style of dates")
    func zone() throws {
        let database = try FleetDatabase()
        let connection = try database.connect(.writer)
        try connection.run("SET TimeZone = 'Pacific/Auckland'; SET DateStyle = 'German'; SELECT make_day('05.11.2026')")
        for time in ["2026-11-05 00:00:00Z", "2026-11-05 23:59:59.999999Z"] {
            #expect(try connection.refusal(of: Self.load(time, form: "NULL::uuid", host: "h")) == nil)
        }
        let before = Self.load("2026-11-04 23:59:59.999Z", form: "NULL::uuid", host: "h")
        #expect(try connection.refusal(of: before) == SQLState.checkViolation)
        #expect(try database.connect(.reader).texts("SELECT day::text FROM days") == ["2026-11-05"])
    }

    /// A load of a form that is added before; one of no form where `form` is given, whose number is made up. And its gate.
    static func load(_ time: String, form: String? = nil, host: String) -> String {
        let id = "form_id('r', '\(host)', 'blocked', 'ios26.4', NULL, 't')"
        let made = form.map { "coalesce(\($0), '00000000-0000-0000-0000-00000000000f')" } ?? id
        return """
            INSERT INTO gate (spool, host, version) VALUES ('00000000-0000-0000-0000-0000000000a1', 'h', '1')
            ON CONFLICT (spool) DO NOTHING;
            INSERT INTO load SELECT '00000000-0000-0000-0000-0000000000a1', 1, '00000000-0000-0000-0000-0000000000b1',
                '\(time)', \(made), 'ats.tls-version', 'https://\(host)/', 'e'
            """
    }
}
