import ATSPolicy
import Foundation
import GRDB
import HostileStores
import Processes
import Records
import Reporting
import Samples
import Synchronization
import Testing

/// Stores that another user may send, or that a bad disk leaves. None ends the process or takes long.
@Suite("Forged and damaged stores")
struct HostileStoreTests {
    @Test("each way of reading a forged store ends in time", arguments: HostileStore.all)
    func forgedInBulk(store: HostileStore) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            try Self.makeSound(at: path)
            try store.forge(at: path)
            try Self.bounded("\(store)") { try Self.readEverything(of: path, within: folder) }
        }
    }

    @Test("no load of a forged store is imported", arguments: HostileStore.all)
    func refusedInBulk(store: HostileStore) throws {
        try withFolder { folder in
            try Self.makeSound(at: folder + "/theirs.db")
            try store.forge(at: folder + "/theirs.db")
            let own = folder + "/own.db"
            try StoreSink(path: own).close()
            let isSound = (try? StoreCheck(path: folder + "/theirs.db").isSound) ?? false
            do {
                _ = try StoreEditor(path: own).importRecordings(folder + "/theirs.db")
                #expect(isSound, "\(store)")
            } catch let error as StoreError {
                #expect(error.isBadInput, "\(error)")
                #expect(!isSound, "\(store): \(error)")
                #expect(try rows(of: own) == [0, 0, 0, 0])
            }
        }
    }

    @Test("a store forged to hang or to fill the memory is refused before any query")
    func refused() throws {
        try withFolder { folder in
            for store in HostileStore.all where store.name.hasPrefix("endless") || store.name.contains("gigabytes") {
                let path = folder + "/\(UUID().uuidString).db"
                try Self.makeSound(at: path)
                try store.forge(at: path)
                #expect(throws: StoreError.foreignTables(path: path)) { try StoreReader(path: path) }
                #expect(throws: StoreError.foreignTables(path: path)) { try StoreEditor(path: path) }
                #expect(throws: StoreError.foreignTables(path: path)) { try StoreSink(path: path) }
            }
        }
    }

    @Test(
        "a gate that records into a store is not delayed if another process forges it in the meantime",
        arguments: HostileStore.crafted)
    func whileRecording(store: HostileStore) throws {
        for retention in [nil, Retention.age(.seconds(60)), .bytes(Int64(try Self.sound.get().count))] {
            try withFolder { folder in
                let path = folder + "/store.db"
                try Self.makeSound(at: path)
                let begin = SampleLoads.plain(0).time
                let now = Mutex(begin)
                let sink = try StoreSink(path: path, retention: retention, clock: { now.withLock { $0 } })
                try store.forge(at: path)
                try Self.bounded("\(store)") {
                    for number in 0..<3 {
                        // Late enough to prune.
                        now.withLock { $0 += 3_600_000 }
                        let load = SampleLoads.filed(SampleLoads.plain(number), id: Self.id(40 + number))
                        do { try sink.write([load]) } catch is PartialWrite {}
                    }
                    try Self.attempt { try sink.begin("late") }
                    try Self.attempt { _ = try sink.loads(of: "nightly") }
                    try Self.attempt { _ = try sink.lastRow() }
                }
                try sink.close()
            }
        }
    }

    @Test("after flipped bits, lost pages and cut ends the readable loads are read")
    func damagedInBulk() throws {
        try withFolder { folder in
            let sound = folder + "/sound.db"
            try Self.makeSound(at: sound)
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: sound)))
            for seed in 0..<Self.damages {
                let path = folder + "/\(seed).db"
                try Data(StoreDamage.damaged(bytes, seed: seed)).write(to: URL(fileURLWithPath: path))
                try Self.bounded("seed \(seed)") {
                    if seed % 5 == 0 {
                        try Self.readEverything(of: path, within: folder)
                    } else {
                        try Self.readMost(of: path)
                    }
                }
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            }
        }
    }

    /// Runs work, which may take at most 5 seconds of a processor and 200 MB.
    private static func bounded(_ name: String, _ work: () throws -> Void) throws {
        let begun = clock()
        let grownKiB = try Memory.growth(during: work)
        #expect(Double(clock() - begun) / Double(CLOCKS_PER_SEC) < 5, "\(name)")
        if let grownKiB { #expect(grownKiB < 200 << 10, "\(name)") }
    }

    /// `make soak` runs 5,000.
    private static var damages: UInt64 {
        ProcessInfo.processInfo.environment["ATSGATE_DAMAGED_STORES"].flatMap { UInt64($0) } ?? 150
    }

    /// Writes a store with two recordings, three forms and two handshakes.
    private static func makeSound(at path: String) throws { try sound.get().write(to: URL(fileURLWithPath: path)) }

    private static let sound = Result {
        try withFolder { folder in
            let path = folder + "/sound.db"
            let sink = try StoreSink(path: path)
            var loads = (0..<15).map { SampleLoads.filed(SampleLoads.plain($0), id: id($0)) }
            loads += (15..<20).map { SampleLoads.filed(SampleLoads.forwardSecrecy($0), id: id($0)) }
            loads += (20..<30).map { number in
                var record = SampleLoads.filed(SampleLoads.plain(number, recording: "other"), id: id(number))
                record.origin = RecordedOrigin(address: "192.0.2.7:443", facts: HandshakeExamples.full.facts)
                return record
            }
            try sink.write(loads)
            try sink.close()
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
    }

    private static func id(_ number: Int) -> String { "01KGH0000000000000000000\(10 + number)" }

    /// Allows errors of stores, but no others.
    private static func attempt(_ body: () throws -> Void) throws {
        do { try body() } catch is StoreError {}
    }

    private static func readMost(of path: String) throws {
        try attempt {
            let reader = try StoreReader(path: path)
            try attempt { _ = try reader.overviews(withSizes: true) }
            try attempt { _ = try reader.report(as: .html, of: RecordFilter()) { _ in } }
            try attempt { try reader.forEachChunk { _ in } }
            try attempt { _ = try reader.page(of: RecordFilter(), limit: 10) }
        }
    }

    private static func readEverything(of path: String, within folder: String) throws {
        try readMost(of: path)
        try attempt {
            // A page without a known row is named by its position, not by the largest number.
            let remarks = try StoreCheck(path: path).remarks
            #expect(!remarks.contains { $0.contains("row -") || $0.contains("2305843009213693") }, "\(remarks)")
        }
        try attempt {
            let reader = try StoreReader(path: path)
            try attempt { _ = try reader.records(recording: "nightly") }
            try attempt { _ = try reader.recordings() }
            try attempt { _ = try reader.counts() }
            try attempt { _ = try reader.hosts(matching: RecordFilter()) }
            try attempt { _ = try reader.hostNames(of: ["nightly"]) }
            try attempt { _ = try reader.record(id: "01KGH000000000000000000015") }
            try attempt { _ = try reader.record(id: "none") }
            for format in ReportFormat.allCases {
                try attempt { try reader.report(as: format, of: RecordFilter(recording: "nightly")) { _ in } }
            }
            try attempt { try reader.forEachGroup(recording: "nightly") { _ in } }
            try attempt { _ = try StoreFollower(reader, matching: RecordFilter(), fromStart: true).next() }
            try attempt { _ = try reader.export("nightly", to: folder + "/export.db") }
            let masked = folder + "/masked.db"
            let names = NameMask([.everyHost], key: KeyedHash(1, 2))
            try attempt { _ = try reader.export(RecordFilter(), masking: names, to: masked) }
        }
    }

    private func rows(of path: String) throws -> [Int] {
        try DatabaseQueue(path: path).read { db in
            try ["load", "form", "tally", "handshake"].map { table in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? -1
            }
        }
    }
}
