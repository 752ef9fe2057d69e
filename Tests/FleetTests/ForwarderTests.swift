import Fleet
import Foundation
import GRDB
import Postgres
import PostgresServer
import Processes
import Reporting
import Testing

@Suite("Forwarders", .serialized)
struct ForwarderTests {
    @Test("of two gates on one spool one ships until it ends, then the other; each load arrives once")
    func sharedSpool() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        let one = try StoreSink(path: path, spoolLimit: 1 << 30)
        let other = try StoreSink(path: path, spoolLimit: 1 << 30)
        var source = LoadSource()
        let first = try Self.forwarder(path, to: address)
        let second = try Self.forwarder(path, to: address)
        first.begin()
        second.begin()
        for _ in 0..<20 {
            try one.write(source.next(50))
            try other.write(source.next(50))
        }
        #expect(first.finish(within: .seconds(30)) == 0)
        try other.write(source.next(500))
        #expect(second.finish(within: .seconds(30)) == 0)
        #expect(try rig.loadsOnce() == 2500)
        #expect(first.figures.shipped + second.figures.shipped == 2500)
        #expect(try rig.number("SELECT count(*) FROM atsgate.gate") == 1)
        try one.close()
        try other.close()
    }

    @Test("gates that send the same shared rows in opposite orders do not block each other")
    func oppositeOrders() throws {
        let rig = try ShippingRig()
        let forwarders = try (0..<4).map { number in
            let path = rig.path("spool\(number).db")
            let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
            var source = LoadSource()
            try sink.write(source.next(3000, hosts: 400, isBackwards: number % 2 == 0))
            try sink.close()
            return try Self.forwarder(path, to: rig.writer())
        }
        for forwarder in forwarders { forwarder.begin() }
        for forwarder in forwarders { #expect(forwarder.finish(within: .seconds(60)) == 0) }
        #expect(forwarders.map(\.figures.failures) == [0, 0, 0, 0])
        #expect(try rig.loadsOnce() == 12_000)
    }

    @Test("each load arrives once after server crashes and restarts, while loads are filed")
    func crashes() throws {
        let server = try PostgresServer()
        let rig = try ShippingRig(on: server)
        let address = try rig.writer()
        let path = rig.path("spool.db")
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        var source = LoadSource()
        let log = NoticeLog()
        let forwarder = try Self.forwarder(path, to: address, onNotice: log.add)
        forwarder.begin()
        for ending in [PostgresServer.Ending.immediate, .fast, .immediate] {
            for _ in 0..<20 { try sink.write(source.next(400)) }
            server.stop(ending)
            try sink.write(source.next(1000))
            try server.start()
        }
        #expect(forwarder.finish(within: .seconds(60)) == 0)
        #expect(try rig.loadsOnce() == 27_000)
        #expect(forwarder.figures.failures > 0)
        #expect(log.all.contains { $0.trouble?.hasPrefix("loads are not shipped: ") == true })
        #expect(log.all.contains { $0.recovery?.hasPrefix("loads are shipped again") == true })
        try sink.close()
    }

    @Test("a suspended server delays no load, and a gate ends within its timeout")
    func suspended() throws {
        let server = try PostgresServer()
        let rig = try ShippingRig(on: server)
        let address = try rig.writer()
        let path = rig.path("spool.db")
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        var source = LoadSource()
        let forwarder = try Forwarder(
            path, to: address, as: ShippingRig.gate, timeout: .seconds(60), onNotice: { _ in })
        forwarder.begin()
        try sink.write(source.next(100))
        try #require(holds(within: 60) { forwarder.figures.shipped == 100 })
        server.suspend()
        defer { server.resume() }
        var longest = Duration.zero
        let clock = ContinuousClock()
        for _ in 0..<200 {
            let batch = source.next(50)
            longest = max(longest, try clock.measure { try sink.write(batch) })
        }
        // A gate that waited for the server would wait for the full minute.
        #expect(longest < .seconds(30))
        #expect(forwarder.spool?.waiting ?? 0 >= 9_000)
        #expect(forwarder.spool?.oldest != nil)
        let took = clock.measure { #expect(forwarder.finish(within: .seconds(1)) >= 9_000) }
        #expect(took < .seconds(30))
        server.resume()
        let next = try Self.forwarder(path, to: address)
        next.begin()
        #expect(next.finish(within: .seconds(60)) == 0)
        #expect(try rig.loadsOnce() == 10_100)
        try sink.close()
    }

    @Test("a server that is away from the start is reported once")
    func away() throws {
        let rig = try ShippingRig()
        let path = rig.path("spool.db")
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        var source = LoadSource()
        let log = NoticeLog()
        let unreachable = try PostgresAddress("postgres://gate@127.0.0.1:1/none?sslmode=disable")
        let forwarder = try Self.forwarder(path, to: unreachable, onNotice: log.add)
        forwarder.begin()
        try sink.write(source.next(10))
        try #require(holds(within: 60) { forwarder.figures.failures > 2 })
        #expect(forwarder.finish(within: .milliseconds(10)) == 10)
        #expect(log.all.count == 1)
        try sink.close()
    }

    @Test("a gate with another dictionary reports it at once, and otherwise every ten seconds")
    func renamed() throws {
        let rig = try ShippingRig()
        let path = rig.path("spool.db")
        try StoreSink(path: path).close()
        let shipping = try ShippingRig.ship(path, to: rig.writer())
        let reported = ContinuousClock.now
        var gate = ShippingRig.gate
        try shipping.report(gate, now: reported)
        for (policy, later, isShown) in [("Other.plist", 1, 1), ("Other.plist", 2, 0), ("Other.plist", 12, 1)] {
            gate.policy = policy
            try rig.run("UPDATE atsgate.gate SET policy = CASE WHEN policy = '\(policy)' THEN 'old' ELSE policy END")
            try shipping.report(gate, now: reported + .seconds(later))
            let count = "SELECT count(*) FROM atsgate.gate WHERE policy = '\(policy)'"
            #expect(try rig.number(count) == isShown, "after \(later) s")
        }
    }

    @Test("loads that cannot be shipped are counted once and reported once per cause, whatever connections do")
    func unshipped() throws {
        let server = try PostgresServer()
        let rig = try ShippingRig(on: server)
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        let log = NoticeLog()
        let forwarder = try { () throws -> Forwarder in
            let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
            try sink.write(source.next(30))
            try sink.close()
            try DatabaseQueue(path: path).write {
                try $0.execute(sql: "UPDATE load SET path = CAST(x'2f0037' AS TEXT) WHERE seq = 7")
            }
            return try Self.forwarder(path, to: address, onNotice: log.add)
        }()
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        forwarder.begin()
        // The server stores no day before 1970. The next connection meets the last of them again, with no load after
        // it.
        for round in 1...3 {
            try sink.write(source.next(10))
            try sink.write(source.next(1, at: -86_400_000))
            try #require(holds(within: 60) { forwarder.figures.refused == 1 + round }, "\(forwarder.figures)")
            let failures = forwarder.figures.failures
            try server.restart()
            try #require(holds(within: 60) { forwarder.figures.failures > failures && forwarder.figures.isConnected })
        }
        try sink.write(source.next(10))
        #expect(forwarder.finish(within: .seconds(60)) == 0)
        #expect(try rig.loadsOnce() == 69)
        #expect(forwarder.figures.refused == 4)
        let words = log.all.compactMap(\.trouble)
        #expect(words.count { $0.contains("refuses a load") && $0.contains("1969") } == 1, "\(words)")
        #expect(words.count { $0.contains("U+0000") } == 1, "\(words)")
        try sink.close()
    }

    @Test("a server that accepts no batch is tried less and less often, and reported once")
    func takesNothing() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        try rig.run(
            """
            CREATE FUNCTION atsgate.no_room() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full';
            END
            $$;
            CREATE TRIGGER no_room BEFORE INSERT ON atsgate.load FOR EACH ROW EXECUTE FUNCTION atsgate.no_room();
            """)
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        var source = LoadSource()
        try sink.write(source.next(10))
        let log = NoticeLog()
        let forwarder = try Self.forwarder(path, to: address, onNotice: log.add)
        let begin = ContinuousClock.now
        forwarder.begin()
        try #require(holds(within: 60) { forwarder.figures.failures == 4 })
        // 250, 500 and 1,000 ms, each shortened by at most a quarter.
        #expect(ContinuousClock.now - begin > .milliseconds(1_300))
        #expect(log.all.count == 1 && log.all[0].trouble?.contains("could not extend file") == true, "\(log.all)")
        try rig.run("DROP TRIGGER no_room ON atsgate.load")
        #expect(forwarder.finish(within: .seconds(60)) == 0)
        #expect(try rig.loadsOnce() == 10)
        #expect(log.all.count == 2 && log.all[1].recovery?.hasPrefix("loads are shipped again") == true, "\(log.all)")
        try sink.close()
    }

    private static func forwarder(
        _ path: String, to address: PostgresAddress, onNotice: @escaping @Sendable (StoreNotice) -> Void = { _ in }
    ) throws -> Forwarder {
        try Forwarder(path, to: address, as: ShippingRig.gate, onNotice: onNotice)
    }
}
