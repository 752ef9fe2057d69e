import Foundation
import GRDB
import Records
import Reporting
import Samples
import Synchronization
import TestSupport
import Testing

@Suite("Retention of a store")
struct RetentionTests {
    @Test(
        "a retention is a whole number and a unit",
        arguments: [
            ("12h", .age(.seconds(43_200))), ("30d", .age(.seconds(2_592_000))), ("2w", .age(.seconds(1_209_600))),
            ("500MB", .bytes(500_000_000)), ("2GB", .bytes(2_000_000_000)), ("", nil), ("30", nil), ("d", nil),
            ("0d", nil), ("-1d", nil), ("1.5d", nil), ("30 d", nil), ("30D", nil), ("5TB", nil),
            ("99999999999999999999d", nil), ("٣d", nil),
        ] as [(String, Retention?)])
    func reading(text: String, retention: Retention?) {
        #expect(Retention(text) == retention)
    }

    @Test("old loads are deleted, with all that only they used; the rest reads as before")
    func byAge() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let loads = (0..<20).map { number in
                var record = SampleLoads.filed(
                    SampleLoads.plain(number, recording: number < 10 ? "old" : "new"))
                record.time = now - (number < 10 ? 3 : 1) * 86_400_000
                return record
            }
            let sink = try StoreSink(path: path)
            try sink.write(loads)
            try sink.close()
            try StoreSink(path: path, retention: .age(.seconds(2 * 86_400))).close()
            let reader = try StoreReader(path: path)
            #expect(try reader.records().map { RecordJSON.text($0) } == loads[10...].map { RecordJSON.text($0) })
            #expect(try reader.recordings().map(\.name) == ["new"])
            #expect(try reader.recordings().map(\.loads) == [10])
            let shared = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM shared") }
            #expect(shared == 1)
        }
    }

    @Test("a store above its size loses its oldest loads, and is compacted if that saves much")
    func bySizeInBulk() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            let loads = (0..<40_000).map { SampleLoads.filed(SampleLoads.plain($0)) }
            try sink.write(loads)
            try sink.close()
            let before = try size(of: path)
            try #require(before > 2_000_000)
            let told = Mutex<[String]>([])
            try StoreSink(path: path, retention: .bytes(1_000_000)) { notice in told.withLock { $0.append(notice) } }
                .close()
            let kept = try StoreReader(path: path).records()
            #expect(kept.last?.id == SampleLoads.id(39_999))
            #expect(kept.map(\.id) == loads.suffix(kept.count).map(\.id))
            #expect(kept.count > 100)
            #expect(try size(of: path) <= 1_000_000)
            #expect(told.withLock { $0 } == ["\(path): deleted \(40_000 - kept.count) old loads (--keep)"])
        }
    }

    @Test("a gate keeps recording into a store that another process pruned, and reloads its cached rows")
    func whileWriting() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let writing = try StoreSink(path: path)
            try writing.write([SampleLoads.filed(SampleLoads.plain(1))])
            try StoreSink(path: path, retention: .age(.seconds(3600))).close()
            #expect(try StoreReader(path: path).records().isEmpty)
            let second = SampleLoads.filed(SampleLoads.plain(2))
            try writing.write([second])
            #expect(try StoreReader(path: path).records().map { RecordJSON.text($0) } == [RecordJSON.text(second)])
            try writing.close()
        }
    }

    private func size(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
