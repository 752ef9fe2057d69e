import Foundation
import GRDB
import Records
import Reporting
import Samples
import Synchronization
import Testing

@Suite("Spools")
struct SpoolTests {
    @Test("what is not shipped stays however old it is; of what is, a day stays")
    func kept() throws {
        try withFolder { folder in
            let path = folder + "/spool.db"
            let now = Self.now
            let sink = try StoreSink(path: path, spoolLimit: 1 << 30)
            try sink.write((1...10).map { Self.load($0, at: now - Int64(10 - $0) * 6 * 3_600_000 - 60_000) })
            try sink.close()
            func reopened(_ retention: Retention?) throws -> [Int64] {
                try StoreSink(path: path, retention: retention, spoolLimit: 1 << 30).close()
                return try Self.numbers(in: path)
            }
            #expect(try reopened(nil) == Array(1...10))
            #expect(try reopened(.age(.seconds(3600))) == Array(1...10))
            let spool = try Spool(path: path)
            try spool.note(Spool.Mark(number: 3, id: "\(Self.id(3))"))
            #expect(try reopened(.age(.seconds(50 * 3600))) == Array(2...10))
            try spool.note(Spool.Mark(number: 8, id: "\(Self.id(8))"))
            // 7 began 18 hours ago.
            #expect(try reopened(.bytes(1)) == Array(7...10))
            #expect(try StoreEditor(path: path).prune([.age(.seconds(3600))], now: now).loads == 0)
            #expect(try spool.mark == Spool.Mark(number: 8, id: "\(Self.id(8))"))
        }
    }

    @Test("a spool above its limit loses its oldest loads, says how many were not shipped, and counts them")
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
            #expect(!words.isEmpty && words.allSatisfy { $0.contains("GAVE UP") })
            let sum = words.compactMap { $0.split(separator: " ").compactMap { Int($0) }.first }.reduce(0, +)
            #expect(sum == 40_000 - rows.count)
        }
    }

    @Test("loads come out of a spool as they were filed, with what they share, behind the number that was asked for")
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
            #expect(spool.identity.count == 32)
            var first = Spool.Batch()
            try spool.fill(&first, behind: 0, count: 5, bytes: 1 << 20)
            #expect(first.loads.map(\.number) == [1, 2, 3, 4, 5] && first.end == 5 && !first.isLast)
            #expect(first.loads.map { "\($0.id)" } == (1...5).map { Self.id($0) })
            let forms = first.loads.map { first.forms[$0.form] }
            #expect(Set(forms.map(\.serial)).count == 2)
            #expect(forms[0].handshake == nil && forms[4].handshake != nil)
            let stored = try StoreReader(path: path).records()
            let url = try #require(first.loads[0].url)
            #expect(stored[0].json.contains("\"url\":\"\(String(decoding: first.texts[url], as: UTF8.self))"))
            var rest = first
            try spool.fill(&rest, behind: first.end, count: 5, bytes: 1 << 20)
            #expect(rest.loads.map(\.number) == [6, 7] && rest.isLast)
            #expect(rest.forms[rest.loads[0].form].serial == forms[4].serial)
            #expect(rest.emptyRecordings.map(\.name) == ["empty"])
            try spool.fill(&rest, behind: 0, count: 5, bytes: 1)
            #expect(rest.loads.count == 1 && rest.forms.count == 1 && rest.emptyRecordings.isEmpty)
            try sink.close()
        }
    }

    @Test("one at a time ships a spool; when it is gone another one does")
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

    @Test("a spool that another one ships leaves other files of this process open")
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
            #expect(strangers == 0, "of 50,000 files so many were closed by somebody else")
            withExtendedLifetime(lock) {}
        }
    }

    @Test("an id is the number that it is, and nothing else is one")
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
