import Foundation
import GRDB
import Records
import Reporting
import Seeded
import Testing

/// What anybody may send, or a disk may do to a store: nothing of it ends the process, and nothing takes long.
@Suite("Stores that were forged or damaged")
struct HostileStoreTests {
    @Test("whatever a forged store holds, each way of reading it ends in time", arguments: HostileStore.all)
    func forged(store: HostileStore) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            try store.make(at: path)
            let duration = try ContinuousClock().measure { try Self.readEverything(of: path, within: folder) }
            #expect(duration < .seconds(5), "\(store)")
        }
    }

    @Test("nothing of a forged store is taken in", arguments: HostileStore.all)
    func notTakenIn(store: HostileStore) throws {
        try withFolder { folder in
            try store.make(at: folder + "/theirs.db")
            let own = folder + "/own.db"
            try StoreSink(path: own).close()
            let isSound = (try? StoreCheck(path: folder + "/theirs.db").isSound) ?? false
            do {
                _ = try StoreEditor(path: own).takeIn(folder + "/theirs.db")
                #expect(isSound, "\(store)")
            } catch let error as StoreError {
                #expect(error.isBadInput, "\(error)")
                #expect(!isSound, "\(store): \(error)")
                #expect(try rows(of: own) == [0, 0, 0, 0])
            }
        }
    }

    @Test("a store that was forged to hang or to fill the memory is refused before it is asked for anything")
    func refused() throws {
        try withFolder { folder in
            for store in HostileStore.all where store.name.hasPrefix("endless") || store.name.contains("gigabytes") {
                let path = folder + "/\(UUID().uuidString).db"
                try store.make(at: path)
                #expect(throws: StoreError.foreignTables(path: path)) { try StoreReader(path: path) }
                #expect(throws: StoreError.foreignTables(path: path)) { try StoreEditor(path: path) }
                #expect(throws: StoreError.foreignTables(path: path)) { try StoreSink(path: path) }
            }
        }
    }

    @Test("flipped bits, lost pages, cut ends: what can be read is read, and stays when the store is mended")
    func damaged() throws {
        try withFolder { folder in
            let sound = folder + "/sound.db"
            try HostileStore.sound(at: sound)
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: sound)))
            for seed in 0..<Self.damages {
                var dice = SeededGenerator(seed: UInt64(seed))
                let path = folder + "/\(seed).db"
                try Data(Self.damage(bytes, &dice)).write(to: URL(fileURLWithPath: path))
                let duration = try ContinuousClock().measure {
                    if seed % 5 == 0 {
                        try Self.readEverything(of: path, within: folder)
                        try Self.mend(path, seed)
                    } else {
                        try Self.readMost(of: path)
                    }
                }
                #expect(duration < .seconds(5), "seed \(seed)")
                for suffix in ["", "-wal", "-shm", ".damaged"] { unlink(path + suffix) }
            }
        }
    }

    /// All 5,000 are for `make soak`.
    private static var damages: Int {
        ProcessInfo.processInfo.environment["ATSGATE_DAMAGED_STORES"].flatMap { Int($0) } ?? 500
    }

    private static func damage(_ bytes: [UInt8], _ dice: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        func page(_ dice: inout SeededGenerator) -> Int { dice.below(bytes.count / 4096) * 4096 }
        switch dice.below(6) {
        case 0, 1:
            for _ in 0...dice.below(20) { bytes[dice.below(bytes.count)] ^= 1 << dice.below(8) }
        case 2:
            let place = page(&dice)
            bytes.replaceSubrange(place..<place + 4096, with: [UInt8](repeating: 0, count: 4096))
        case 3: bytes.removeLast(dice.below(bytes.count))
        case 4:
            let (from, to) = (page(&dice), page(&dice))
            bytes.replaceSubrange(to..<to + 4096, with: Array(bytes[from..<from + 4096]))
        default:
            // Where a page says what it holds.
            let place = page(&dice)
            for _ in 0...dice.below(8) { bytes[place + dice.below(120)] = UInt8(dice.below(256)) }
        }
        return bytes
    }

    /// What can be read before can be read after, and all of it.
    private static func mend(_ path: String, _ seed: Int) throws {
        // The reader is closed again before the store is mended.
        guard let before = try? StoreReader(path: path).records() else { return }
        guard (try? StoreRepair(path: path)) != nil else { return }
        let check = try StoreCheck(path: path)
        #expect(check.isSound, "seed \(seed): \(check.remarks)")
        let after = Set(try StoreReader(path: path).records())
        let lost = before.filter { !after.contains($0) && (try? ReportedLoad($0)) != nil }
        #expect(lost.isEmpty, "seed \(seed)")
    }

    /// Errors of stores are fine, anything else is not.
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
        try attempt { _ = try StoreCheck(path: path) }
        try attempt {
            let reader = try StoreReader(path: path)
            try attempt { _ = try reader.records(recording: "nightly") }
            try attempt { _ = try reader.recordings() }
            try attempt { _ = try reader.counts() }
            try attempt { _ = try reader.hosts() }
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

extension SeededGenerator {
    fileprivate mutating func below(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}
