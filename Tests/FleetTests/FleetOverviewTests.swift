import Fleet
import Foundation
import Postgres
import PostgresServer
import Reporting
import Testing

@Suite("The fleet overview of a shared store")
struct FleetOverviewTests {
    private static let own = "00000000-0000-0000-0000-0000000000a1"
    private static let late = "00000000-0000-0000-0000-0000000000a2"
    private static let ended = "00000000-0000-0000-0000-0000000000a3"
    private static let timeout = Duration.seconds(30)

    /// A store with three gates: one of `owner`, one that went silent with unshipped loads, and one that never
    /// reported. The first two blocked one host by one rule, the second more often. Two hours ago the first blocked
    /// another host.
    private func store(owner: String = "postgres") throws -> ShippingRig {
        let rig = try ShippingRig()
        try rig.run(
            """
            INSERT INTO gate (spool, host, label, version, owner, policy, started, seen, shipped, waiting) VALUES
                ('\(Self.own)', 'mac1', 'phones', '1.0', '\(owner)', 'App.plist', now(), now(), 3, 4),
                ('\(Self.late)', 'mac2', NULL, '0.9', 'postgres', NULL, now(), now() - interval '3 minutes', 2, 7),
                ('\(Self.ended)', 'mac3', NULL, '0.9', 'postgres', NULL, NULL, NULL, 0, NULL);
            SELECT make_day((now() AT TIME ZONE 'UTC')::date);
            SELECT make_day((now() AT TIME ZONE 'UTC')::date - 1);
            \(FiledRows.insertShared(host: "a.test", recording: "night"))
            \(FiledRows.insertShared(host: "b.test", verdict: "wouldBlock", recording: "night"))
            \(FiledRows.insertShared(host: "a.test", verdict: "allowed", recording: "night"))
            INSERT INTO diagnosis VALUES (\(Self.diagnosis("'ats.tls-version'")), 'ats.tls-version', 't', now());
            INSERT INTO load (gate, seq, id, time, shared, diagnosis, path, client, method, sent, received, total)
            SELECT gate::uuid, 1, gen_random_uuid(), now() - ago * interval '1 minute',
                (SELECT s.id FROM shared s WHERE s.host = one.host AND s.verdict = one.verdict),
                (SELECT d.id FROM diagnosis d WHERE d.rule = one.rule), '/', '192.0.2.1:1', 'GET', 0, 0, 1
            FROM (VALUES
                ('\(Self.own)', 0, 'a.test', 'blocked', 'ats.tls-version'),
                ('\(Self.late)', 0, 'a.test', 'blocked', 'ats.tls-version'),
                ('\(Self.late)', 1, 'a.test', 'blocked', 'ats.tls-version'),
                ('\(Self.own)', 120, 'b.test', 'wouldBlock', NULL),
                ('\(Self.own)', 0, 'a.test', 'allowed', NULL)
            ) one (gate, ago, host, verdict, rule);
            INSERT INTO tally VALUES
                ('\(Self.own)', 'night', 'blocked', 1, now(), now()), ('\(Self.own)', 'night', 'allowed', 1, now(), now()),
                ('\(Self.own)', 'night', 'wouldBlock', 1, now(), now()),
                ('\(Self.late)', 'night', 'blocked', 2, now(), now());
            """)
        return rig
    }

    /// The id of a diagnosis.
    ///
    /// - Parameter rule: SQL.
    private static func diagnosis(_ rule: String) -> String { "content_id(ARRAY[\(rule), 't'], NULL)" }

    private func overview(
        _ rig: ShippingRig, _ role: FleetRole?, hours: Int = 1, timeout: Duration = timeout
    ) throws -> FleetOverview {
        try FleetOverview.look(
            rig.login(in: role), hours: hours, timeout: timeout, askedBy: Self.own.replacing("-", with: ""))
    }

    @Test(
        "a login with the role sees all gates, the latest first, and the blocked hosts",
        arguments: [
            FleetRole.viewer, .reader,
        ])
    func all(role: FleetRole) throws {
        let rig = try store()
        let view = try overview(rig, role)
        #expect(view.gates.map(\.spool) == [Self.own, Self.late, Self.ended])
        #expect(view.gateCount == 3 && view.note == nil && view.ownSpool == Self.own)
        let own = try #require(view.gates.first)
        #expect(own.name == "mac1 phones" && own.version == "1.0" && own.policy == "App.plist")
        #expect(own.owner == "postgres" && own.started != nil && own.seen != nil)
        #expect(own.shipped == 3 && own.waiting == 4 && own.loads == 3 && own.blocked == 2)
        #expect(view.gates.map(\.isSilent) == [false, true, true])
        #expect((180..<240).contains(view.gates[1].silentSeconds))
        #expect(view.gates[2].seen == nil && view.gates[2].waiting == 0 && view.gates[2].loads == 0)
        let blocked = try #require(view.blocked.first)
        #expect(view.blocked.count == 1 && blocked.host == "a.test" && blocked.rule == "ats.tls-version")
        #expect(blocked.loads == 3 && blocked.gateCount == 2 && blocked.spools == [Self.late, Self.own])
        #expect(abs(blocked.last - Int64(Date().timeIntervalSince1970 * 1000)) < 600_000)
        let day = try overview(rig, role, hours: 24).blocked
        #expect(day.map(\.host) == ["a.test", "b.test"] && day.last?.rule == nil && day.last?.spools == [Self.own])
    }

    @Test("a gate's login sees only the gates that ship with it, and a note on what is hidden")
    func own() throws {
        let rig = try store()
        let address = try rig.writer()
        let login = try #require(address.shown.firstMatch(of: /:\/\/(\w+)@/)).output.1
        try rig.run("UPDATE gate SET owner = '\(login)' WHERE spool = '\(Self.own)'")
        func look() throws -> FleetOverview { try FleetOverview.look(address, hours: 1, timeout: Self.timeout) }
        let view = try look()
        #expect(view.gates.map(\.name) == ["mac1 phones"] && view.gateCount == 1 && view.blocked == [])
        #expect(view.gates.first?.loads == 3 && view.gates.first?.blocked == 2)
        #expect(view.note?.contains("can grant it atsgate_viewer") == true && view.ownSpool == nil)
        try rig.run("GRANT atsgate_viewer TO \(login)")
        let more = try look()
        #expect(more.gates.count == 3 && more.note == nil && more.blocked.count == 1)
    }

    @Test("a gate that writes false data about itself hides no other, and its texts are cut")
    func hostile() throws {
        let rig = try store()
        let long = String(repeating: "<b>\u{202e}", count: 1_000)
        // Values as they were possible before the server had limits.
        try rig.run(
            """
            ALTER TABLE gate DROP CONSTRAINT gate_numbers, DROP CONSTRAINT gate_times;
            UPDATE gate SET host = '\(long)', label = '\(long)', version = '\(long)', policy = '\(long)',
                started = '-infinity', seen = 'infinity', waiting = -1, shipped = 9223372036854775807
            WHERE spool = '\(Self.own)';
            INSERT INTO diagnosis VALUES (\(Self.diagnosis("'\(long)'")), '\(long)', 't', now());
            UPDATE load SET diagnosis = \(Self.diagnosis("'\(long)'")) WHERE gate = '\(Self.own)';
            """)
        let view = try overview(rig, .viewer)
        #expect(view.gates.count == 3)
        let own = try #require(view.gates.first { $0.spool == Self.own })
        #expect(own.machine.count <= 200 && own.name.count <= 401 && own.version.count <= 40)
        #expect(own.policy.map { $0.count <= 200 } == true)
        #expect(own.started == nil && own.seen == nil && own.isSilent)
        #expect(view.blocked.map { $0.rule?.count ?? 0 }.max() ?? 0 <= 100 && view.blocked.count == 2)
    }

    @Test("a login that files more gates than are shown, with dates in the far future, does not hide other gates")
    func crowd() throws {
        let rig = try store()
        try rig.run(
            """
            INSERT INTO gate (spool, host, version, owner, seen)
            SELECT gen_random_uuid(), 'crowd', '1', 'somebody', '200000-01-01' FROM generate_series(1, 600)
            """)
        let view = try overview(rig, .viewer)
        #expect(view.gates.count == 500 && view.gateCount == 603)
        #expect(
            view.gates.prefix(6).filter { $0.owner == "postgres" }.map(\.spool) == [Self.own, Self.late, Self.ended])
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        #expect(view.gates.allSatisfy { ($0.seen ?? 0) < now + 600_000 })
        let check = try FleetCheck(of: rig.server.connect(database: rig.database), counts: false)
        #expect(check.gates.count == 603 && check.gates.prefix(6).filter { $0.machine != "crowd" }.count == 3)
    }

    @Test("the gates are shown even if counting loads takes too long")
    func slow() throws {
        let rig = try store()
        let holder = try rig.server.connect(database: rig.database)
        try holder.transaction {
            try holder.run("LOCK TABLE load IN ACCESS EXCLUSIVE MODE")
            let view = try overview(rig, .viewer, timeout: .seconds(10))
            #expect(view.gates.count == 3 && view.blocked == [])
            #expect(view.note?.contains("took longer than 10 s") == true)
        }
    }

    @Test("missing rights and an unreachable server are reported with the cause")
    func refused() throws {
        let rig = try store()
        #expect { try overview(rig, nil) } throws: { error in
            if case StoreError.notAllowed = error { true } else { false }
        }
        let unreachable = try PostgresAddress("postgres://ci@127.0.0.1:1/none?sslmode=disable")
        #expect { try FleetOverview.look(unreachable, hours: 1, timeout: Self.timeout) } throws: { error in
            if case StoreError.unreachable = error { true } else { false }
        }
    }
}
