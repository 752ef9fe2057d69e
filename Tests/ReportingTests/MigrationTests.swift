import ATSPolicy
import Foundation
import GRDB
import Records
import Reporting
import Samples
import Seeded
import Testing

@Suite("Migration of older stores")
struct MigrationTests {
    @Test("every line of a migrated store is unchanged, byte for byte", arguments: seeds)
    func sameInBulk(seed: UInt64) throws {
        try withFolder { folder in
            var dice = SeededGenerator(seed: seed)
            let rows = (0..<200).map { number in
                var record = dice.record()
                // Text columns of a store end at a NUL, which hosts and names never contain.
                record.recording = "r\(number % 3)"
                record.load.target = LoadTarget(scheme: .https, host: "h\(number % 5).test", port: 443)
                record.client = SampleLoads.plain().client
                return StoredRecord(record)
            }
            try OldStore.make(at: folder + "/store.db", rows: rows)
            try StoreSink(path: folder + "/store.db").close()
            #expect(try StoreReader(path: folder + "/store.db").records() == rows, "seed \(seed)")
        }
    }

    @Test("a migrated store has the same forms as a new one, and is a fraction of its old size")
    func sharedInBulk() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let rows = (0..<5000).map { number in
                var record = SampleLoads.filed(SampleLoads.plain(number), id: "\(number)")
                record.origin = RecordedOrigin(address: "192.0.2.7:443", facts: HandshakeExamples.full.facts)
                return StoredRecord(record)
            }
            try OldStore.make(at: path, rows: rows)
            let database = try DatabaseQueue(path: path)
            try database.close()
            let before = try used(path)
            try StoreSink(path: path).close()
            #expect(try StoreReader(path: path).records() == rows)
            #expect(try used(path) < before / 2)
            let forms = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM form") }
            #expect(forms == 1)
        }
    }

    @Test("an interrupted migration leaves the store unchanged, and the next one completes it")
    func brokenOff() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let rows = (0..<500).map { StoredRecord(SampleLoads.filed(SampleLoads.plain($0), id: "\($0)")) }
            try OldStore.make(at: path, rows: rows)
            let pages = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
            #expect(throws: StoreError.self) { try StoreSink(path: path, pageLimit: pages + 3) }
            let left = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM load") }
            #expect(left == rows.count)
            #expect(throws: StoreError.olderVersion(path: path)) { try StoreReader(path: path) }
            try StoreSink(path: path).close()
            #expect(try StoreReader(path: path).records() == rows)
        }
    }

    @Test("a line that is not a record ends the migration with the load's id, and no row is lost")
    func notARecord() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let good = StoredRecord(SampleLoads.filed(SampleLoads.plain(), id: "1"))
            for json in ["", "{", "[]", String(good.json.dropLast()), good.json + "x", #"{"schema":1,"id":7}"#] {
                try? FileManager.default.removeItem(atPath: path)
                let bad = StoredRecord(
                    id: "2", recording: good.recording, time: 0, host: "", verdict: .allowed, rule: nil, os: "",
                    json: json)
                try OldStore.make(at: path, rows: [good, bad])
                #expect(throws: StoreError.unreadableRecord(id: "2", cause: "it is not a record"), "\(json)") {
                    try StoreSink(path: path)
                }
                let left = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM load") }
                #expect(left == 2)
            }
        }
    }

    /// The number of bytes in pages in use.
    private func used(_ path: String) throws -> Int {
        try DatabaseQueue(path: path).read { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            return try (pages - (Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0)) * 4096
        }
    }
}

private let seeds: [UInt64] = [9802, 1022, .random(in: .min ... .max)]
