import Fleet
import Foundation
import Postgres
import Testing

/// The dashboard's queries, run on the real schema with the login of a data source.
@Suite("The dashboard") struct GrafanaTests {
    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable {
                let rawSql: String
                let format: String
            }
            let id: Int
            let title: String
            let targets: [Target]
        }
        struct Templating: Decodable {
            struct Variable: Decodable {
                let name: String
                let type: String
                let query: String
            }
            let list: [Variable]
        }
        let panels: [Panel]
        let templating: Templating
    }

    private static var dashboard: Dashboard {
        get throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let file = root.appending(path: "config/grafana/atsgate.json")
            return try JSONDecoder().decode(Dashboard.self, from: Data(contentsOf: file))
        }
    }

    /// Replaces Grafana's macros and variables, for the last day. Source: Grafana, "PostgreSQL query editor", Macros;
    /// "Variable syntax", Sqlstring. A value for all choices is inserted unchanged.
    private static func expanded(_ sql: String, recording: String, machine: String) -> String {
        func text(_ time: Date) -> String { "'" + time.formatted(.iso8601) + "'" }
        let from = text(Date(timeIntervalSinceNow: -86_400))
        let to = text(Date(timeIntervalSinceNow: 3_600))
        return
            sql
            .replacing(/\$__timeFilter\((\w+)\)/) { "\($0.1) BETWEEN \(from) AND \(to)" }
            .replacing(/\$__timeGroupAlias\((\w+), \$__interval\)/) {
                "floor(extract(epoch from \($0.1))/300)*300 AS \"time\""
            }
            .replacing("$__timeFrom()", with: from).replacing("$__timeTo()", with: to)
            .replacing("${recording:sqlstring}", with: "'\(recording)'")
            .replacing("${machine:sqlstring}", with: "'\(machine)'")
    }

    /// A store with a blocked load of now, from a gate on the machine `mac1`, in the recording `night`.
    private static func store() throws -> FleetDatabase {
        let database = try FleetDatabase()
        try database.connect().run(
            """
            INSERT INTO gate (spool, host, label, version, seen, waiting)
                VALUES ('00000000-0000-0000-0000-0000000000a1', 'mac1', 'phone', '1.0', now(), 3);
            SELECT make_day((now() AT TIME ZONE 'UTC')::date);
            INSERT INTO form SELECT form_id('night', 'a.test', 'blocked', 'ios26.4', NULL, 't'), 'night', 'a.test',
                'blocked', 'ios26.4', NULL, 't', (now() AT TIME ZONE 'UTC')::date;
            INSERT INTO load SELECT '00000000-0000-0000-0000-0000000000a1', 1, gen_random_uuid(), now(), id,
                'ats.tls-version', 'https://a.test/private', 'e' FROM form;
            INSERT INTO tally VALUES ('00000000-0000-0000-0000-0000000000a1', 'night', 'blocked', 1, now(), now());
            """)
        return database
    }

    @Test("every panel shows the load, with all values and with its recording and machine selected")
    func panels() throws {
        let dashboard = try Self.dashboard
        let connection = try Self.store().connect(.grafana)
        #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count && dashboard.panels.count >= 10)
        for panel in dashboard.panels {
            for target in panel.targets {
                for (recording, machine) in [("*", "*"), ("night", "mac1")] {
                    let sql = Self.expanded(target.rawSql, recording: recording, machine: machine)
                    #expect(!sql.contains("$"), "\(panel.title)")
                    #expect(try !connection.query(sql).isEmpty, "\(panel.title)")
                }
            }
        }
    }

    @Test("a recording that is not selected is not shown")
    func otherRecording() throws {
        let connection = try Self.store().connect(.grafana)
        var narrowed = 0
        for target in try Self.dashboard.panels.flatMap(\.targets) where target.rawSql.contains("${recording") {
            narrowed += 1
            let sql = Self.expanded(target.rawSql, recording: "morning", machine: "*")
            let rows = try connection.query(sql)
            #expect(try rows.isEmpty || rows.count == 1 && rows.first?.int(0) == 0, "\(sql)")
        }
        #expect(narrowed >= 5)
    }

    @Test("the variables offer the existing recordings and machines")
    func variables() throws {
        let connection = try Self.store().connect(.grafana)
        let variables = try Self.dashboard.templating.list.filter { $0.type == "query" }
        #expect(try variables.map { try connection.texts($0.query) } == [["night"], ["mac1"]])
    }

    @Test("no query names a table, and all views are visible to a dashboard")
    func viewsAlone() throws {
        let dashboard = try Self.dashboard
        let queries =
            dashboard.panels.flatMap(\.targets).map(\.rawSql)
            + dashboard.templating.list.filter { $0.type == "query" }.map(\.query)
        let views: Set<Substring> = ["loads", "gates", "recordings", "days", "hosts_hourly"]
        for query in queries {
            #expect(query.matches(of: /atsgate\.(\w+)/).allSatisfy { views.contains($0.1) })
        }
    }
}
