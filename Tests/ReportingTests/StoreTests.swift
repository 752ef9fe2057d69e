import Foundation
import GRDB
import Records
import Reporting
import Samples
import TestSupport
import Testing

@Suite("The store file")
struct StoreTests {
    @Test("a copy made during a run contains every acknowledged batch")
    func crashCopy() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            for batch in 0..<40 {
                try sink.write((0..<50).map { SampleLoads.filed(SampleLoads.plain(batch * 50 + $0)) })
            }
            // A killed process leaves the file and its log, without a clean close.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: folder + "/store.db" + suffix, toPath: folder + "/copy.db" + suffix)
            }
            #expect(try StoreReader(path: folder + "/copy.db").records().count == 2000)
            let again = try StoreSink(path: folder + "/copy.db")
            try again.write([SampleLoads.filed(SampleLoads.plain(5000))])
            #expect(try StoreReader(path: folder + "/copy.db").records().last?.id == SampleLoads.id(5000))
            try again.close()
            try sink.close()
        }
    }

    @Test("what the loads of many connections share is stored once")
    func sharedRows() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            for start in [0, 100] {
                try sink.write((start..<start + 100).map { SampleLoads.filed(SampleLoads.plain($0)) })
            }
            try sink.write([SampleLoads.filed(SampleLoads.forwardSecrecy())])
            try sink.close()
            let shared = try DatabaseQueue(path: folder + "/store.db").read { db in
                try Int.fetchAll(db, sql: "SELECT count(*) FROM load GROUP BY shared ORDER BY shared")
            }
            #expect(shared == [200, 1])
        }
    }

    @Test("a shared row is written once, even with thousands of other loads in between")
    func manySharedRowsInBulk() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            // The sink caches 4,096 of them at most. One of these comes again with each batch.
            for round in 0..<6 {
                let hosts = (0..<1000).map { "h\(round * 1000 + $0).test" } + ["again.test"]
                try sink.write(hosts.map { SampleLoads.filed(SampleLoads.plain(round, host: $0)) })
            }
            try sink.close()
            let shared = try DatabaseQueue(path: folder + "/store.db").read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM shared")
            }
            #expect(shared == 6001)
        }
    }

    @Test("a batch that is rolled back loses its shared rows, and the next one writes them again")
    func rolledBack() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            let batch = (0..<3).map { SampleLoads.filed(SampleLoads.plain($0)) }
            let other = try DatabaseQueue(path: path)
            try other.write { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER stop BEFORE INSERT ON load WHEN NEW.time = \(batch[1].time)
                        BEGIN SELECT RAISE(ABORT, 'stopped'); END
                        """)
            }
            let error = #expect(throws: PartialWrite.self) { try sink.write(batch) }
            #expect(error?.recorded == 0)
            #expect(error?.cause == "stopped")
            try other.write { try $0.execute(sql: "DROP TRIGGER stop") }
            #expect(try StoreReader(path: path).recordings().isEmpty)
            try sink.write(batch)
            #expect(try StoreReader(path: path).records().map(\.id) == batch.map(\.id))
            #expect(try StoreReader(path: path).counts() == [.allowed: 3])
            try sink.close()
        }
    }

    @Test(
        "a store with a load whose shared row or diagnosis is missing is refused", arguments: ["shared", "diagnosis"])
    func damaged(column: String) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            try sink.write([SampleLoads.plain()])
            try sink.close()
            try DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE load SET \(column) = 99") }
            #expect {
                try StoreReader(path: path).records()
            } throws: { error in
                guard case StoreError.damaged(path, let cause)? = error as? StoreError else { return false }
                return cause.contains("99 is missing")
            }
        }
    }

    @Test("a full disk loses no acknowledged load, and is reported with the cause")
    func diskFull() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db", pageLimit: 20)
            let messages = Messages()
            let archive = Archive(sinks: [sink]) { messages.add($0) }
            for number in 0..<500 {
                archive.file([SampleLoads.plain(number)])
                archive.flush()
            }
            let summary = archive.close()
            let stored = try StoreReader(path: folder + "/store.db").records().count
            #expect(stored > 0)
            #expect(summary.sinks.first?.stored == stored)
            #expect(summary.sinks.first?.lost == 500 - stored)
            #expect(messages.all.first == "store: CANNOT RECORD LOADS: database or disk is full; trying again")
        }
    }

    @Test("two sinks can write to one file")
    func twoWriters() throws {
        try withFolder { folder in
            let sinks = try (0..<2).map { _ in try StoreSink(path: folder + "/store.db") }
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                for number in 0..<50 {
                    #expect(throws: Never.self) {
                        try sinks[index].write([SampleLoads.filed(SampleLoads.plain(index * 50 + number))])
                    }
                }
            }
            #expect(try StoreReader(path: folder + "/store.db").records().count == 100)
        }
    }
}
