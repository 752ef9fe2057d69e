import Fleet
import Foundation
import GRDB
import Postgres
import PostgresServer
import Reporting
import Testing

@Suite("Shipping loads to a shared store")
struct ShippingTests {
    @Test("each load arrives once, with its shared row, its columns and its day, and the tallies match")
    func all() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        let sink = try StoreSink(path: path)
        try sink.begin("empty")
        try sink.write(source.next(1300))
        try sink.write(source.next(200, recording: "other", at: 1_700_000_000_000))
        try ShippingRig.ship(path, to: address)
        #expect(try rig.loadsOnce() == 1500)
        #expect(try rig.number("SELECT count(*) FROM atsgate.tally WHERE recording = 'empty' AND loads = 0") == 1)
        #expect(try rig.number("SELECT count(*) FROM atsgate.load_20231114") == 200)
        let columns = """
            SELECT count(*) FROM atsgate.load l JOIN atsgate.shared s ON s.id = l.shared
            WHERE s.host LIKE 'h_.lab.test' AND s.os = 'ios26' AND s.bundle = 'test.lab.demo' AND l.path = '/' || l.seq
                AND l.client = '127.0.0.1:50123' AND l.method = 'GET' AND l.status = 200
            """
        #expect(try rig.number(columns) == 1500)
        let row = "SELECT count(*) FROM atsgate.gate WHERE shipped = 1500 AND last = (SELECT id FROM atsgate.load "
        #expect(try rig.number(row + "WHERE seq = 1500) AND waiting = 0 AND host = 'machine.test'") == 1)
        try sink.write(source.next(7))
        #expect(try ShippingRig.ship(path, to: address).lost == 0)
        #expect(try rig.loadsOnce() == 1507)
        try sink.close()
    }

    @Test("a load arrives once if its COMMIT or the reply to it is lost")
    func lostCommits() throws {
        let rig = try ShippingRig()
        let login = try rig.writer()
        let losses = (0..<12).map { CommitRelay.Loss.allCases[$0 % 2] }
        let relay = try CommitRelay(to: rig.server.port, losing: losses)
        defer { relay.end() }
        let user = try #require(login.shown.split(separator: "@").first?.split(separator: "/").last)
        let address = try PostgresAddress(
            "postgres://\(user)@127.0.0.1:\(relay.port)/\(rig.database)?sslmode=disable"
                + "&passfile=\(rig.server.folder.path("pgpass"))")
        let path = rig.path("spool.db")
        var source = LoadSource()
        let sink = try StoreSink(path: path)
        try sink.write(source.next(12_000))
        var breaks = 0
        while true {
            do {
                try ShippingRig.ship(path, to: address)
                break
            } catch PostgresError.broken {
                breaks += 1
                try #require(breaks < 100)
            }
        }
        #expect(relay.left == 0 && breaks == losses.count)
        #expect(try rig.loadsOnce() == 12_000)
        try sink.close()
    }

    @Test("a copied spool ships its own loads, and the first one continues")
    func copied() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let (path, copy) = (rig.path("spool.db"), rig.path("copy.db"))
        var source = LoadSource()
        let sink = try StoreSink(path: path)
        try sink.write(source.next(100))
        try ShippingRig.ship(path, to: address)
        try sink.close()
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        for (file, count) in [(path, 50), (copy, 80)] {
            let sink = try StoreSink(path: file)
            try sink.write(source.next(count))
            try sink.close()
        }
        try ShippingRig.ship(path, to: address)
        for _ in 0..<2 {
            #expect(try ShippingRig.ship(copy, to: address).lost == 0)
            #expect(try rig.loadsOnce() == 230)
        }
        // A copy that ends before the last shipped load is another copy, or an old one.
        let old = rig.path("old.db")
        let sinkOfOld = try StoreSink(path: old)
        try sinkOfOld.write(source.next(10))
        try sinkOfOld.close()
        let identity = try Spool(path: path).identity
        try DatabaseQueue(path: old).write { try $0.execute(sql: "UPDATE meta SET spool = ?", arguments: [identity]) }
        try ShippingRig.ship(old, to: address)
        #expect(try ShippingRig.ship(path, to: address).lost == 0)
        #expect(try rig.loadsOnce() == 240)
        #expect(try rig.number("SELECT count(*) FROM atsgate.gate") == 1)
    }

    @Test("a moved file is not a copy")
    func moved() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        var source = LoadSource()
        for (index, name) in ["spool.db", "elsewhere.db", "again.db"].enumerated() {
            let sink = try StoreSink(path: rig.path(name))
            try sink.write(source.next(600))
            try sink.close()
            try ShippingRig.ship(rig.path(name), to: address)
            #expect(try rig.loadsOnce() == 600 * (index + 1))
            guard index < 2 else { break }
            let next = rig.path(["elsewhere.db", "again.db"][index])
            try FileManager.default.moveItem(atPath: rig.path(name), toPath: next)
        }
    }

    @Test("a restored server receives all loads that the spool still has again, and lost ones are counted")
    func restored() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        // Recorded while the server was away for days. Loads shipped today are not pruned today.
        try sink.write(source.next(1000, at: Int64(Date().timeIntervalSince1970 * 1000) - 3 * 86_400_000))
        try ShippingRig.ship(path, to: address)
        try rig.setBack(to: 400)
        #expect(try rig.loadsOnce() == 400)
        try StoreSink(path: path, retention: .age(.seconds(3600)), spoolLimit: 1 << 30).close()
        #expect(try ShippingRig.ship(path, to: address).lost == 0)
        #expect(try rig.loadsOnce() == 1000)
        try rig.setBack(to: 300)
        try DatabaseQueue(path: path).write { try $0.execute(sql: "DELETE FROM load WHERE seq <= 450") }
        #expect(try ShippingRig.ship(path, to: address).lost == 150)
        #expect(try rig.loadsOnce() == 850)
        #expect(try ShippingRig.ship(path, to: address).lost == 0)
        try sink.close()
    }

    @Test("a load that the server refuses stays in the spool, and delays no other")
    func refused() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        let sink = try StoreSink(path: path)
        try sink.write(source.next(700))
        // The server stores no day before 1970.
        try sink.write(source.next(1, at: -86_400_000))
        try sink.write(source.next(700))
        var refused: [Shipping.Refusal] = []
        try ShippingRig.ship(path, to: address) { refused.append($0) }
        #expect(refused.map(\.number) == [701] && refused[0].words.contains("1969"), "\(refused)")
        #expect(try rig.loadsOnce() == 1400)
        try sink.close()
    }

    @Test("refused loads at the end of a spool do not count as waiting")
    func refusedAtTheEnd() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        try { () throws in
            let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
            try sink.write(source.next(5))
            try sink.write(source.next(2, at: -86_400_000))
            try sink.close()
        }()
        let waiting = "SELECT waiting FROM atsgate.gate"
        try ShippingRig.ship(path, to: address) { _ in }
        #expect(try rig.number(waiting) == 0)
        #expect(try SpoolGauge(path: path).figures().waiting == 0)
        try { () throws in
            let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
            try sink.write(source.next(4))
            try sink.close()
            try DatabaseQueue(path: path).write {
                try $0.execute(sql: "UPDATE load SET path = CAST(x'2f0037' AS TEXT) WHERE seq > 10")
            }
        }()
        try ShippingRig.ship(path, to: address)
        #expect(try rig.number(waiting) == 0)
        #expect(try SpoolGauge(path: path).figures().waiting == 0)
        #expect(try rig.loadsOnce() == 8)
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        try sink.write(source.next(3))
        #expect(try ShippingRig.ship(path, to: address).lost == 0)
        #expect(try rig.loadsOnce() == 11)
        try sink.close()
    }

    @Test("loads with U+0000, which no server keeps, are skipped and reported once")
    func leftOut() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        let sink = try StoreSink(path: path)
        try sink.write(source.next(30))
        try sink.close()
        try DatabaseQueue(path: path).write {
            try $0.execute(sql: "UPDATE load SET path = CAST(x'2f0037' AS TEXT) WHERE seq IN (7, 8, 30)")
        }
        let spool = try Spool(path: path)
        var unshipped = UnshippedLoads()
        var notices: [String] = []
        for _ in 0..<2 {
            let shipping = try Shipping(spool, to: address, as: ShippingRig.gate, timeout: .seconds(10))
            while case let step = try shipping.shipNext(), !step.isAtEnd {}
            unshipped.note(nil, of: spool).map { notices.append($0) }
        }
        #expect(try rig.loadsOnce() == 27)
        #expect(notices.count == 1 && notices[0].contains("U+0000") && unshipped.count == 3, "\(notices)")
        #expect(try spool.last == 30)
    }

    @Test("a row that no gate wrote stops the shipping with its cause")
    func unreadable() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        let sink = try StoreSink(path: path)
        try sink.write(source.next(30))
        try sink.close()
        try DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE load SET total = 'x' WHERE seq = 7") }
        #expect(throws: StoreError.damaged(path: path, cause: "its total is not a number")) {
            try ShippingRig.ship(path, to: address)
        }
        #expect(try rig.loadsOnce() == 0)
    }

    @Test("a schema of another version, or a missing one, is reported")
    func schemas() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        try StoreSink(path: path).close()
        try rig.run("UPDATE atsgate.version SET number = 7")
        #expect(throws: SchemaError.self) { try ShippingRig.ship(path, to: address) }
        try rig.run("UPDATE atsgate.version SET number = 2")
        try ShippingRig.ship(path, to: address)
        try rig.run("DROP SCHEMA atsgate CASCADE")
        #expect(throws: SchemaError.self) { try ShippingRig.ship(path, to: address) }
    }

    @Test("a spool that one login ships is refused for another")
    func foreign() throws {
        let rig = try ShippingRig()
        let path = rig.path("spool.db")
        var source = LoadSource()
        let sink = try StoreSink(path: path)
        try sink.write(source.next(3))
        try sink.close()
        try ShippingRig.ship(path, to: rig.writer())
        #expect(throws: ShippingError.foreign(path: path)) { try ShippingRig.ship(path, to: rig.writer()) }
    }
}
