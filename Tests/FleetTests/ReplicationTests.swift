import Fleet
import Foundation
import Postgres
import PostgresServer
import Processes
import Reporting
import Testing

@Suite("Replicas of a shared store") struct ReplicationTests {
    private static let day: Int64 = 86_400_000
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    @Test("a physical replica answers readers as the first server does, even for a later day")
    func physical() throws {
        let first = try PostgresServer()
        let rig = try ShippingRig(on: first)
        let writer = try rig.writer()
        let reader = try rig.login(in: .reader)
        let user = String(try #require(reader.shown.firstMatch(of: /:\/\/(\w+)@/)).output.1)
        var loads = LoadSource()
        let sink = try StoreSink(path: rig.path("spool.sqlite"))
        try sink.write(loads.next(40))
        try ShippingRig.ship(rig.path("spool.sqlite"), to: writer)
        let second = try PostgresServer(copying: first)
        try sink.write(loads.next(5, at: Self.now - 9 * Self.day))
        try ShippingRig.ship(rig.path("spool.sqlite"), to: writer)
        let connection = try second.connect(user: user, database: rig.database)
        #expect(try holds(within: 60) { try connection.number("SELECT count(*) FROM load") == 45 })
        #expect(try connection.query("SELECT pg_is_in_recovery()")[0].bool(0))
        #expect(try FleetCheck(of: connection, counts: true).complaints.isEmpty)
        let there = try StoreReader(second.address(user: user, database: rig.database)).recordings()
        let here = try StoreReader(reader).recordings()
        #expect(there.map(\.name) == ["nightly"] && there.map(\.loads) == [45])
        #expect(here.map(\.name) == there.map(\.name) && here.map(\.loads) == there.map(\.loads))
    }

    @Test("logical replication waits until a day exists, and copies new loads but no prune")
    func logical() throws {
        let first = try PostgresServer(options: ["wal_level = logical"])
        let rig = try ShippingRig(on: first)
        let second = try PostgresServer(options: ["wal_retrieve_retry_interval = '100ms'"])
        let name = try second.makeDatabase()
        let there = try second.connectBySocket(database: name)
        _ = try SharedSchema.make(on: there)
        try rig.run(
            """
            CREATE PUBLICATION loads FOR TABLE atsgate.load
                WITH (publish = 'insert', publish_via_partition_root = true);
            CREATE PUBLICATION rest
                FOR TABLE atsgate.gate, atsgate.shared, atsgate.diagnosis, atsgate.handshake, atsgate.tally,
                    atsgate.policy
            """)
        let way = "host=\(first.folder.path) port=\(first.port) user=postgres dbname=\(rig.database)"
        try there.run("CREATE SUBSCRIPTION ats CONNECTION '\(way)' PUBLICATION loads, rest")
        let unready = "SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'"
        #expect(try holds(within: 60) { try there.number(unready) == 0 })

        var loads = LoadSource()
        let sink = try StoreSink(path: rig.path("spool.sqlite"))
        try sink.write(loads.next(40))
        try sink.write(loads.next(5, at: Self.now - 9 * Self.day))
        try ShippingRig.ship(rig.path("spool.sqlite"), to: rig.writer())
        let failures = "SELECT apply_error_count FROM pg_stat_subscription_stats"
        #expect(try holds(within: 60) { try there.number(failures) ?? 0 > 0 })
        for ago in [0, 9] { try there.run("SELECT make_day((now() AT TIME ZONE 'UTC')::date - \(ago))") }
        #expect(try holds(within: 60) { try there.number("SELECT count(*) FROM load") == 45 })
        #expect(try FleetCheck(of: there, counts: true).complaints.isEmpty)

        let keeper = try first.connectBySocket(database: rig.database)
        #expect(try DayRetention(ageMilliseconds: Self.day).prune(on: keeper).loads == 5)
        #expect(try holds(within: 60) { try there.number("SELECT sum(loads)::bigint FROM tally") == 40 })
        #expect(try there.number("SELECT count(*) FROM load") == 45)
    }
}
