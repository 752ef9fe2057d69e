import Fleet
import Foundation
import GRDB
import Postgres
import PostgresServer
import Records
import Reporting
import Testing

/// A file of a spool that is not what the shared store has of it: one that was set back, or of which there are two.
@Suite("Spools that part from what was shipped of them")
struct SpoolForkTests {
    /// A file, and what SQLite has beside it.
    typealias Image = [(ending: String, content: Data)]

    @Test("a machine that was set back goes on: what it has lost is in the store, and what it then records comes once")
    func setBack() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        try Self.record(source.next(100), in: path)
        try ShippingRig.ship(path, to: address)
        let image = try Self.image(of: path)
        try Self.record(source.next(20), in: path)
        try ShippingRig.ship(path, to: address)
        // Twice, as a machine that begins each night with what it was.
        for round in 1...2 {
            try Self.restore(image, to: path)
            // One that asks before anything came.
            if round == 2 { try ShippingRig.ship(path, to: address) }
            try Self.record(source.next(30), in: path)
            try ShippingRig.ship(path, to: address)
            try Self.record(source.next(5), in: path)
            #expect(try ShippingRig.ship(path, to: address).lost == 0)
            #expect(try rig.loadsOnce() == 120 + round * 35)
        }
        let waiting = "SELECT coalesce(sum(waiting), 0)::bigint FROM atsgate.gate"
        #expect(try rig.number(waiting) == 0)
    }

    @Test("of a spool and its copies each load comes once, whoever ships first and whatever waited when it was copied")
    func copies() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        let copies = ["one.db", "two.db"].map(rig.path)
        var source = LoadSource()
        try Self.record(source.next(40), in: path)
        try ShippingRig.ship(path, to: address)
        try Self.record(source.next(100), in: path)
        for copy in copies { try Self.restore(Self.image(of: path), to: copy) }
        try Self.record(source.next(10), in: path)
        try ShippingRig.ship(path, to: address)
        for copy in copies {
            try Self.record(source.next(5), in: copy)
            try ShippingRig.ship(copy, to: address)
        }
        #expect(try rig.loadsOnce() == 160)
        // A copy of a copy, of which the first part was shipped by nobody when it was made.
        try Self.record(source.next(7), in: copies[0])
        let again = rig.path("again.db")
        try Self.restore(Self.image(of: copies[0]), to: again)
        for (file, count) in [(again, 3), (copies[0], 4), (path, 6), (again, 2)] {
            try Self.record(source.next(count), in: file)
            try ShippingRig.ship(file, to: address)
        }
        #expect(try rig.loadsOnce() == 182)
    }

    @Test("what copies have in common and nobody has shipped comes once, also where the spool had parted before")
    func copiesOfOneSetBack() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let (path, copy) = (rig.path("spool.db"), rig.path("copy.db"))
        var source = LoadSource()
        try Self.record(source.next(10), in: path)
        try ShippingRig.ship(path, to: address)
        let image = try Self.image(of: path)
        try Self.record(source.next(10), in: path)
        try ShippingRig.ship(path, to: address)
        try Self.restore(image, to: path)
        // Recorded while the server was away; then there are two.
        try Self.record(source.next(50), in: path)
        try Self.restore(Self.image(of: path), to: copy)
        for file in [path, copy] {
            try Self.record(source.next(5), in: file)
            try ShippingRig.ship(file, to: address)
        }
        #expect(try rig.loadsOnce() == 80)
    }

    @Test("what a server that was set back has lost comes again, though another copy's loads have its numbers by then")
    func serverSetBack() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let (path, copy) = (rig.path("spool.db"), rig.path("copy.db"))
        var source = LoadSource()
        try Self.record(source.next(20), in: path)
        try ShippingRig.ship(path, to: address)
        try Self.restore(Self.image(of: path), to: copy)
        try Self.record(source.next(10), in: path)
        try ShippingRig.ship(path, to: address)
        try rig.setBack(to: 20)
        for (file, count) in [(copy, 15), (path, 10)] {
            try Self.record(source.next(count), in: file)
            try ShippingRig.ship(file, to: address)
        }
        #expect(try rig.loadsOnce() == 55)
    }

    @Test("a power cut takes nothing that was shipped: it was on the disk before it was sent")
    func powerCut() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        // What a disk has that takes only what it is told to: the files as they were synced last.
        var disk: Image = []
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        let spool = try Spool(path: path) { _ in disk = try Self.image(of: path) }
        for count in [300, 1, 2_000, 40] {
            try sink.write(source.next(count))
            let shipping = try Shipping(spool, to: address, as: ShippingRig.gate, patience: .seconds(10))
            while try !shipping.shipNext().isAtEnd {}
        }
        try sink.write(source.next(60))
        try sink.close()
        try Self.restore(disk, to: path)
        try Self.record(source.next(10), in: path)
        let shipping = try ShippingRig.ship(path, to: address)
        #expect(shipping.parting == nil && shipping.lost == 0)
        #expect(try rig.loadsOnce() == 2_351)
    }

    @Test("a forwarder tells that its spool has parted from the store, once, and ships what comes")
    func told() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        try Self.record(source.next(10), in: path)
        let image = try Self.image(of: path)
        try ShippingRig.ship(path, to: address)
        try Self.record(source.next(10), in: path)
        try ShippingRig.ship(path, to: address)
        try Self.restore(image, to: path)
        let log = NoticeLog()
        let forwarder = try Forwarder(path, to: address, as: ShippingRig.gate, onNotice: log.add)
        forwarder.begin()
        try Self.record(source.next(10), in: path)
        #expect(forwarder.finish(within: .seconds(60)) == 0)
        #expect(try rig.loadsOnce() == 30)
        #expect(log.all.count { $0.contains("up to its number 20") && $0.contains("set back") } == 1, "\(log.all)")
    }

    /// What a killed gate leaves: the file and its log.
    static func image(of path: String) throws -> Image {
        try ["", "-wal"].compactMap { ending in
            guard FileManager.default.fileExists(atPath: path + ending) else { return nil }
            return (ending, try Data(contentsOf: URL(fileURLWithPath: path + ending)))
        }
    }

    static func restore(_ image: Image, to path: String) throws {
        for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
        for (ending, content) in image { try content.write(to: URL(fileURLWithPath: path + ending)) }
    }

    private static func record(_ loads: [LoadRecord], in path: String) throws {
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        try sink.write(loads)
        try sink.close()
    }
}
