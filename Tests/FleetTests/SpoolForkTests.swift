import Fleet
import Foundation
import GRDB
import Postgres
import PostgresServer
import Records
import Reporting
import Testing

/// A spool file that differs from what the shared store has of it, because it was restored or copied.
@Suite("Spools that were restored or copied")
struct SpoolForkTests {
    /// The database file and its log.
    typealias Image = [(ending: String, content: Data)]

    @Test("a restored machine continues: its lost loads are in the store, and new ones arrive once")
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
        // Twice, like a machine that starts each night from the same image.
        for round in 1...2 {
            try Self.restore(image, to: path)
            // A spool that connects before it has new loads.
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

    @Test("each load of a spool and its copies arrives once, in any order of shipping")
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
        // A copy of a copy whose first part was not yet shipped when it was made.
        try Self.record(source.next(7), in: copies[0])
        let again = rig.path("again.db")
        try Self.restore(Self.image(of: copies[0]), to: again)
        for (file, count) in [(again, 3), (copies[0], 4), (path, 6), (again, 2)] {
            try Self.record(source.next(count), in: file)
            try ShippingRig.ship(file, to: address)
        }
        #expect(try rig.loadsOnce() == 182)
    }

    @Test("unshipped loads that copies share arrive once, even if the spool had been restored before")
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
        // Recorded while the server was away. Then the file is copied.
        try Self.record(source.next(50), in: path)
        try Self.restore(Self.image(of: path), to: copy)
        for file in [path, copy] {
            try Self.record(source.next(5), in: file)
            try ShippingRig.ship(file, to: address)
        }
        #expect(try rig.loadsOnce() == 80)
    }

    @Test("a restored server gets its lost loads again, even if another copy's loads have their numbers")
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

    @Test("a power cut loses no shipped load, because loads are synced before they are sent")
    func powerCut() throws {
        let rig = try ShippingRig()
        let address = try rig.writer()
        let path = rig.path("spool.db")
        var source = LoadSource()
        // The content of a disk that keeps only synced data: the files at their last sync.
        var disk: Image = []
        let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
        let spool = try Spool(path: path) { _ in disk = try Self.image(of: path) }
        for count in [300, 1, 2_000, 40] {
            try sink.write(source.next(count))
            let shipping = try Shipping(spool, to: address, as: ShippingRig.gate, timeout: .seconds(10))
            while try !shipping.shipNext().isAtEnd {}
        }
        try sink.write(source.next(60))
        try sink.close()
        try Self.restore(disk, to: path)
        try Self.record(source.next(10), in: path)
        let shipping = try ShippingRig.ship(path, to: address)
        #expect(shipping.lost == 0)
        #expect(try rig.loadsOnce() == 2_351)
    }

    @Test("a forwarder ships the new loads of a restored spool")
    func forwarder() throws {
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
        #expect(log.all.isEmpty, "\(log.all)")
    }

    /// The files that a killed gate leaves: the database and its log.
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
