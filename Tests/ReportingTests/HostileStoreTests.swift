import ATSPolicy
import Foundation
import GRDB
import Records
import Reporting
import Samples
import Seeded
import TestSupport
import Testing

/// Files that another user may send, or that a bad disk leaves. None ends the process or takes long.
@Suite("Forged and damaged stores")
struct HostileStoreTests {
    @Test(
        "a file with other tables than a store's is refused before any query",
        arguments: [
            "CREATE TRIGGER t AFTER INSERT ON load BEGIN DELETE FROM load; END", "CREATE TABLE photos (id)",
            "CREATE INDEX more ON load (hex(path))", "DROP TABLE handshake",
            "DROP TABLE load; CREATE VIEW load AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                + "SELECT x AS seq FROM c",
            "ALTER TABLE shared ADD COLUMN x GENERATED ALWAYS AS (hex(zeroblob(4e8))) VIRTUAL",
        ])
    func otherTables(sql: String) throws {
        try withStore { path in
            try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
            #expect(throws: StoreError.foreignTables(path: path)) { try StoreReader(path: path) }
            #expect(throws: StoreError.foreignTables(path: path)) { try StoreEditor(path: path) }
            #expect(throws: StoreError.foreignTables(path: path)) { try StoreSink(path: path) }
        }
    }

    @Test("a value of another type in any column is damage, or is not read", arguments: columns)
    func otherValues(column: String) throws {
        for value in ["'abc'", "x'6d696e65'", "1.5", "9223372036854775807", "CAST(x'ff00fe' AS TEXT)"] {
            try withStore { path in
                let parts = column.split(separator: ".")
                let sql = "UPDATE OR IGNORE \(parts[0]) SET \(parts[1]) = \(value)"
                try? DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
                try Self.readEverything(of: path)
            }
        }
    }

    @Test("after flipped bits, lost pages and cut ends a store is read or refused, whole")
    func damagedInBulk() throws {
        try withStore { sound in
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: sound)))
            for seed in 0..<Self.damages {
                let path = sound + "\(seed)"
                try Data(Self.damaged(bytes, seed: seed)).write(to: URL(fileURLWithPath: path))
                let begun = clock()
                try Self.readEverything(of: path)
                #expect(Double(clock() - begun) / Double(CLOCKS_PER_SEC) < 5, "seed \(seed)")
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            }
        }
    }

    @Test("a page that is its own child is not read forever")
    func endlessPages() throws {
        try withStore(of: 20_000) { path in
            var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            let root = try DatabaseQueue(path: path).read { db in
                try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'load'") ?? 0
            }
            let page = (root - 1) * 4096
            try #require(bytes[page] == 0x05, "the table has one page only")
            // The first cell of an interior page begins with the number of a child (sqlite.org/fileformat2.html 1.6).
            let cells = Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
            for cell in 0..<cells {
                let place = page + (Int(bytes[page + 12 + cell * 2]) << 8 | Int(bytes[page + 13 + cell * 2]))
                bytes.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: UInt32(root).bigEndian, Array.init))
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            try Self.readEverything(of: path)
            #expect(throws: StoreError.self) { try StoreReader(path: path).checkWhole() }
        }
    }

    @Test("a damaged store is not imported, not even in part")
    func refused() throws {
        try withStore { theirs in
            try DatabaseQueue(path: theirs).writeWithoutTransaction {
                try $0.execute(sql: "UPDATE load SET time = 'abc' WHERE seq = 25")
            }
            let own = theirs + ".own"
            try StoreSink(path: own).close()
            #expect(throws: StoreError.damaged(path: theirs, cause: "its time is not a number")) {
                try StoreEditor(path: own).importRecordings(theirs)
            }
            #expect(try StoreReader(path: own).recordings().isEmpty)
        }
    }

    /// `make soak` runs 5,000.
    private static var damages: UInt64 {
        ProcessInfo.processInfo.environment["ATSGATE_DAMAGED_STORES"].flatMap { UInt64($0) } ?? 150
    }

    private static let columns = [
        "load.shared", "load.diagnosis", "load.time", "load.path", "load.id", "load.client", "load.method",
        "load.status", "load.sent", "load.total", "load.task", "load.more", "shared.recording", "shared.verdict",
        "shared.handshake", "shared.text", "diagnosis.rule", "diagnosis.text", "handshake.text", "tally.loads",
        "tally.first_time", "tally.first_seq", "meta.spool", "meta.high", "recording.name", "recording.begun",
    ]

    /// Calls `body` with the path of a store that has two recordings.
    private func withStore(of count: Int = 20, _ body: (String) throws -> Void) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            try sink.write(
                (0..<count).map { $0 % 4 == 3 ? SampleLoads.forwardSecrecy($0) : SampleLoads.plain($0) })
            try sink.write(
                (count..<count + 10).map { number in
                    var record = SampleLoads.plain(number, recording: "other")
                    record.origin = RecordedOrigin(address: "192.0.2.7:443", facts: HandshakeExamples.full.facts)
                    return record
                })
            try sink.close()
            try body(path)
        }
    }

    /// Allows errors of stores, but no others.
    private static func attempt(_ body: () throws -> Void) throws {
        do { try body() } catch is StoreError {}
    }

    private static func readEverything(of path: String) throws {
        try attempt {
            let reader = try StoreReader(path: path)
            try attempt { _ = try reader.overviews(withSizes: true) }
            try attempt { _ = try reader.records(recording: "nightly") }
            try attempt { _ = try reader.recordings() }
            try attempt { _ = try reader.counts() }
            try attempt { _ = try reader.hosts(matching: RecordFilter()) }
            try attempt { _ = try reader.page(of: RecordFilter(), limit: 10) }
            try attempt { _ = try reader.record(id: SampleLoads.id(15)) }
            try attempt { _ = try reader.record(id: "none") }
            for format in [ReportFormat.html, .jsonl] {
                try attempt { try reader.report(as: format, of: RecordFilter(recording: "nightly")) { _ in } }
            }
            try attempt { try reader.forEachGroup(matching: RecordFilter()) { _ in } }
            try attempt { _ = try StoreFollower(reader, matching: RecordFilter(), fromStart: true).next() }
            try attempt { _ = try reader.export(RecordFilter()) { _ in } }
            try attempt { try reader.checkWhole() }
        }
        try attempt { _ = try StoreEditor(path: path).delete(["nightly"]) }
    }

    /// A store's bytes after an accident: flipped bits, a page of zeros, a cut end, a misplaced page, or wrong numbers
    /// in a page's header.
    private static func damaged(_ bytes: [UInt8], seed: UInt64) -> [UInt8] {
        var bytes = bytes
        var dice = SeededGenerator(seed: seed)
        func below(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &dice) }
        func page() -> Int { below(bytes.count / pageBytes) * pageBytes }
        switch below(6) {
        case 0, 1:
            for _ in 0...below(20) { bytes[below(bytes.count)] ^= 1 << below(8) }
        case 2:
            let place = page()
            bytes.replaceSubrange(place..<place + pageBytes, with: [UInt8](repeating: 0, count: pageBytes))
        case 3: bytes.removeLast(below(bytes.count))
        case 4:
            let (from, to) = (page(), page())
            bytes.replaceSubrange(to..<to + pageBytes, with: Array(bytes[from..<from + pageBytes]))
        default:
            let place = page()
            for _ in 0...below(8) { bytes[place + below(120)] = UInt8(below(256)) }
        }
        return bytes
    }
}

/// SQLite's usual page size.
private let pageBytes = 4_096
