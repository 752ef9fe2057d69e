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
                    return try connection.query("SELECT make_day('2026-12-28')").first?.bool(0) ?? false
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.filter(\.self).count == 1 && made.count == 24)
        try copying.run("\(Self.load("2026-12-28", form: "NULL::uuid", host: "h")); COMMIT")
        let days = try database.connect(.reader).texts("SELECT day::text FROM days WHERE attached ORDER BY 1")
        #expect(days == ["2026-11-05", "2026-12-28"])
    }

    @Test("a load without a day is refused by the code that tells a gate to make one")
    func missingDay() throws {
        let connection = try FleetDatabase().connect(.writer)
        let load = Self.load("2026-11-05", form: "NULL::uuid", host: "h")
        #expect(try connection.refusal(of: load) == SQLState.checkViolation)
    }

    @Test("days before 1970, behind 9999 and behind the 5000th are refused")
    func bounds() throws {
        let database = try FleetDatabase()
        let connection = try database.connect(.writer)
        for day in ["1969-12-31", "9999-12-31", "10000-01-01", "infinity", "-infinity", "0044-03-15 BC"] {
            #expect(try connection.refusal(of: "SELECT make_day('\(day)')") == SQLState.outOfRange, "\(day)")
        }
        #expect(try connection.refusal(of: "SELECT make_day(NULL)") == SQLState.outOfRange)
        #expect(try connection.query("SELECT make_day('1970-01-01'), make_day('9999-12-30')").first?.bool(1) == true)
        // A bound of 5000 tables takes a minute to reach: the function is told a smaller one.
        try database.connect().run(
            """
            DO $$ BEGIN EXECUTE replace(pg_get_functiondef('make_day'::regproc), '>= 5000', '>= 2'); END $$
            """)
        #expect(try connection.refusal(of: "SELECT make_day('2026-11-05')") == SQLState.programLimitExceeded)
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

    /// A load of a form that is added before; one of no form where `form` is given, whose number is made up.
    static func load(_ time: String, form: String? = nil, host: String) -> String {
        let id = "form_id('r', '\(host)', 'blocked', 'ios26.4', NULL, 't')"
        let made = form.map { "coalesce(\($0), '00000000-0000-0000-0000-00000000000f')" } ?? id
        return """
            INSERT INTO load SELECT '00000000-0000-0000-0000-0000000000a1', 1, '00000000-0000-0000-0000-0000000000b1',
                '\(time)', \(made), 'ats.tls-version', 'https://\(host)/', 'e'
            """
    }
}
