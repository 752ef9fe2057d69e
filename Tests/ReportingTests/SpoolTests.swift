import Foundation
import GRDB
import Records
import Reporting
import Samples
import Synchronization
import TestSupport
import Testing

@Suite("Spools")
struct SpoolTests {
    @Test("unshipped loads stay however old they are, and shipped ones for a day")
    func kept() throws {
        try withFolder { folder in
            let path = folder + "/spool.db"
            let now = Self.now
            let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
            let hour: Int64 = 3_600_000
            try sink.write((1...10).map { Self.load($0, at: now - Int64(10 - $0) * 6 * hour - 60_000) })
            try sink.close()
            func reopened(_ retention: Retention?) throws -> [Int64] {
                try StoreSink(path: path, retention: retention, spoolLimit: 1 << 30).close()
                return try Self.numbers(in: path)
            }
            #expect(try reopened(nil) == Array(1...10))
            #expect(try reopened(.age(.seconds(3600))) == Array(1...10))
            let spool = try Spool(path: path)
            func ship(to number: Int, hoursAgo: Int64) throws {
                try spool.note(shipped: Int64(number), now: now - hoursAgo * hour)
            }
            try ship(to: 3, hoursAgo: 26)
            // Load 2 began 48 hours ago.
            #expect(try reopened(.age(.seconds(50 * 3600))) == Array(2...10))
            try ship(to: 4, hoursAgo: 23)
            // Load 4 began 36 hours ago, which makes no difference.
            #expect(try reopened(.bytes(1)) == Array(4...10))
            #expect(try StoreEditor(path: path).prune([.age(.seconds(3600))], now: now).loads == 0)
            #expect(try spool.shipped == 4)
            #expect(try StoreEditor(path: path).prune([.age(.seconds(3600))], now: now + 3 * hour).loads == 1)
        }
    }

    @Test("the hours of shipping are kept for a day, whatever clocks and servers do")
    func shippedHours() throws {
        try withFolder { folder in
            let path = folder + "/spool.db"
            try StoreSink(path: path, spoolLimit: 1 << 30).close()
            let spool = try Spool(path: path)
            func noted() throws -> [Int64] {
                try DatabaseQueue(path: path).read {
                    try Int64.fetchAll($0, sql: "SELECT number FROM shipped ORDER BY hour")
                }
            }
            for number in 1...200 {
                try spool.note(shipped: Int64(number), now: Self.now + Int64(number) * 1_800_000)
            }
            #expect(try noted().count <= 27)
            #expect(try noted().last == 200)
            // A wrong clock, then a server that was restored from a backup.
            try spool.note(shipped: 201, now: Self.now + 90 * 1_800_000)
            #expect(try noted() == noted().sorted() && noted().last == 201)
            try spool.note(shipped: 80, now: Self.now + 92 * 1_800_000)
            #expect(try noted().max() == 80)
        }
    }

    @Test("loads are synced to disk before they may be shipped, and only new loads cause a sync")
    func durable() throws {
        try withFolder { folder in
            let path = folder + "/spool.db"
            let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
            try sink.write((1...10).map { Self.load($0, at: Self.now) })
            var synced: [String] = []
            var isBroken = false
            let spool = try Spool(path: path) { file in
                if isBroken { throw StoreError.cannotOpen(path: file, cause: "the disk is gone") }
                synced.append(file)
            }
            for number: Int64 in [3, 10, 7] { try spool.makeDurable(upTo: number) }
            #expect(synced == [path + "-wal"])
            try sink.write([Self.load(11, at: Self.now)])
            isBroken = true
            #expect(throws: StoreError.self) { try spool.makeDurable(upTo: 11) }
            isBroken = false
            try spool.makeDurable(upTo: 11)
            #expect(synced.count == 2)
            try sink.close()
        }
    }

    @Test("a spool above its limit loses its oldest loads, reports how many were not shipped, and counts them")
    func limitInBulk() throws {
        try withFolder { folder in
            let path = folder + "/spool.db"
            let told = Mutex<[String]>([])
            let sink = try StoreSink(path: path, spoolLimit: 2_000_000) { words in told.withLock { $0.append(words) } }
            for batch in 0..<40 {
                try sink.write((1...1000).map { Self.load(batch * 1000 + $0, at: Self.now) })
            }
            let rows = try Self.numbers(in: path)
            #expect(rows.last == 40_000 && rows.count < 35_000)
            let figures = try SpoolGauge(path: path).figures()
            #expect(figures.dropped == 40_000 - Int64(rows.count))
            #expect(figures.waiting == Int64(rows.count))
            try sink.close()
            let words = told.withLock { $0 }
            #expect(!words.isEmpty && words.allSatisfy { $0.contains("DROPPED") })
            let sum = words.compactMap { $0.split(separator: " ").compactMap { Int($0) }.first }.reduce(0, +)
            #expect(sum == 40_000 - rows.count)
        }
    }

    @Test("a spool returns loads after the given number as filed, with the rows that they share")
    func batches() throws {
        try withFolder { folder in
            let path = folder + "/spool.db"
            let sink = try StoreSink(path: path)
            let handshake = HandshakeExamples.full
            try sink.write(
                (1...7).map { number in
                    var record = Self.load(number, at: Self.now)
                    record.origin = RecordedOrigin(
                        address: "192.0.2.7:443", facts: number > 3 ? handshake.facts : nil)
                    return record
                })
            try sink.begin("empty")
            let spool = try Spool(path: path)
            #expect(try spool.identity.count == 32)
            var first = Spool.Batch()
            try spool.fill(&first, after: 0, count: 5, bytes: 1 << 20)
            #expect(first.loads.map(\.number) == [1, 2, 3, 4, 5] && first.end == 5 && !first.isLast)
            #expect(first.loads.map { "\($0.columns.id)" } == (1...5).map { Self.id($0) })
            let shared = first.loads.compactMap { first.shared[$0.columns.shared] }
            #expect(shared.count == 5 && Set(shared.map(\.serial)).count == 2)
            #expect(shared[0].handshake == nil && shared[4].handshake != nil)
            #expect(first.recordings.map(\.name).sorted() == ["empty", "nightly"])
            var rest = first
            try spool.fill(&rest, after: first.end, count: 5, bytes: 1 << 20)
            #expect(rest.loads.map(\.number) == [6, 7] && rest.isLast && rest.recordings.isEmpty)
            #expect(rest.shared[rest.loads[0].columns.shared]?.serial == shared[4].serial)
            try spool.fill(&rest, after: 0, count: 5, bytes: 1)
            #expect(rest.loads.count == 1 && rest.shared.count == 1)
            try sink.close()
        }
    }

    @Test("only one process ships a spool; when it ends another one can")
    func lock() throws {
        try withFolder { folder in
            let path = folder + "/spool.db"
            var first = try SpoolLock(of: path)
            #expect(first != nil)
            #expect(try SpoolLock(of: path) == nil)
            first = nil
            #expect(try SpoolLock(of: path) != nil)
        }
    }

    @Test("a spool locked by another owner leaves other files of this process open")
    func lockOfAnother() throws {
        try withFolder { folder in
            let path = folder + "/spool.db"
            let lock = try SpoolLock(of: path)
            let isOver = Atomic(false)
            let end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while !isOver.load(ordering: .relaxed) { _ = try? SpoolLock(of: path) }
                end.signal()
            }
            var strangers = 0
            for _ in 0..<50_000 {
                let own = open("/dev/null", O_RDONLY | O_CLOEXEC)
                if close(own) != 0 { strangers += 1 }
            }
            isOver.store(true, ordering: .relaxed)
            end.wait()
            #expect(strangers == 0, "the number of 50,000 files that were closed by other code")
            withExtendedLifetime(lock) {}
        }
    }

    @Test("an id reads back as its number, and malformed ids are refused")
    func ids() {
        let text = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
        #expect(LoadID(text.utf8) == LoadID(high: .max, low: .max))
        #expect(LoadID("00000000000000000000000010".utf8) == LoadID(high: 0, low: 32))
        #expect(LoadID(text.utf8).map { "\($0)" } == text)
        for bad in ["", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "0000000000000000000000000U", "000000000000000000000000é", "01"] {
            #expect(LoadID(bad.utf8) == nil, "\(bad)")
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private static func id(_ number: Int) -> String { "\(LoadID(high: 7, low: UInt64(number)))" }

    private static func load(_ number: Int, at time: Int64) -> LoadRecord {
        var record = SampleLoads.filed(SampleLoads.plain(1), id: id(number))
        record.time = time
        return record
    }

    private static func numbers(in path: String) throws -> [Int64] {
        try DatabaseQueue(path: path).read { try Int64.fetchAll($0, sql: "SELECT seq FROM load ORDER BY seq") }
    }
}
