import Fleet
import Foundation
import Postgres
import Records
import Reporting
import Testing

@Suite("Loads filed while a reader follows the store")
struct FollowingTests {
    private let rig: ShippingRig
    private let writer: PostgresAddress
    private let shared: StoreReader
    private let path: String

    init() throws {
        rig = try ShippingRig()
        writer = try rig.writer()
        shared = try StoreReader(rig.login(in: .reader))
        path = rig.path("spool.db")
    }

    private func file(_ loads: [LoadRecord], in name: String? = nil) throws {
        let path = name.map(rig.path) ?? path
        let sink = try StoreSink(path: path)
        try sink.write(loads)
        try sink.close()
        try ShippingRig.ship(path, to: writer)
    }

    private static let now = Int64(Date().timeIntervalSince1970 * 1000)
    private static let hour: Int64 = 3_600_000

    /// The follower's next loads.
    private func newIDs(_ follower: StoreFollower) throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(30)
        while .now < deadline {
            let loads = try follower.next()
            if !loads.isEmpty { return loads.map(\.id) }
        }
        return []
    }

    @Test("one search finds a match after any number of loads, and continues where it was cut off")
    func search() throws {
        var source = LoadSource()
        let loads = source.next(2600)
        try file(loads)
        var filter = RecordFilter()
        filter.search = LoadSearch("/2500")
        let follower = try StoreFollower(shared, matching: filter, fromStart: true)
        #expect(try follower.next().map(\.id) == [loads[2499].id])
        #expect(try follower.next().isEmpty)
        filter.search = LoadSearch("lab.test/25")
        let some = try StoreFollower(shared, matching: filter, fromStart: true)
        var ids: [String] = []
        while case let next = try some.next(limit: 40), !next.isEmpty {
            #expect(next.count <= 40)
            ids += next.map(\.id)
            // Loads filed in the meantime do not change the pieces.
            if ids.count == 40 { try file(source.next(1, at: Self.now - Self.hour)) }
        }
        #expect(ids == loads.filter { $0.load.path.hasPrefix("/25") }.map(\.id))
    }

    @Test("a follower gets loads of a gate whose clock was ahead, and loads that began long ago")
    func clocks() throws {
        var source = LoadSource()
        let ahead = Self.now + 100 * Self.hour
        try file(source.next(5, at: ahead, clock: ahead))
        try file(source.next(5), in: "other.db")
        let follower = try StoreFollower(shared, matching: RecordFilter(), fromStart: false)
        for began in [0, -1, -5, 101, -30].map({ Self.now + $0 * Self.hour }) + [Self.now - 60_000] {
            let late = source.next(3, at: began)
            try file(late)
            #expect(try newIDs(follower) == late.map(\.id), "\(began - Self.now)")
        }
        let old = source.next(3, at: Self.now - 2000 * Self.hour)
        try file(old, in: "new.db")
        #expect(try newIDs(follower) == old.map(\.id), "loads of a new gate")
        #expect(try follower.next().isEmpty)
    }

    @Test("loads filed after a report began are not part of it, in any of its queries")
    func stream() throws {
        var source = LoadSource()
        let loads = source.next(2000)
        try file(loads)
        let stream = try ReportStream(shared, as: .jsonl, of: RecordFilter(), ReportContext())
        try file(source.next(10, at: Self.now - Self.hour))
        try file(source.next(10, at: Self.now - Self.hour), in: "new.db")
        var text: [UInt8] = []
        while let piece = try stream.next() { text += piece }
        #expect(text.split(separator: UInt8(ascii: "\n")).count == loads.count)
    }

    @Test("a recording of many shared rows is renamed, and loads filed in the meantime keep the old name")
    func rename() throws {
        var source = LoadSource()
        try file(source.next(1300, hosts: 700))
        try file(source.next(5), in: "other.db")
        let editor = try SharedRecordings(rig.login(in: .maintainer))
        try editor.rename("none", to: "some")
        try editor.rename("nightly", to: "weekly")
        try file(source.next(100))
        #expect(try rig.loadsOnce() == 1405)
        let counts = try shared.recordings().reduce(into: [:]) { $0[$1.name] = $1.loads }
        #expect(counts == ["weekly": 1305, "nightly": 100])
        let weekly = try shared.records(recording: "weekly")
        #expect(weekly.count == 1305)
        #expect(weekly.allSatisfy { $0.recording == "weekly" })
        let sum = "SELECT sum(loads) FROM atsgate.tally WHERE recording = 'weekly'"
        #expect(try rig.number(sum) == 1305)
    }
}
