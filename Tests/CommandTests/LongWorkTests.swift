import Foundation
import GRDB
import Processes
import Testing

/// What takes long says how far it has come, and can be interrupted without leaving half of anything.
@Suite("long work", .timeLimit(.minutes(10)))
struct LongWorkTests {
    let folder: Folder
    /// A few tenths of a second's work.
    private static let doublings = 16

    /// A store whose one recording has some ten thousand loads.
    init() throws {
        folder = try Folder()
        try Self.store.get().write(to: folder.url.appending(path: "s.sqlite"))
    }

    /// Made by a gate and enlarged, once.
    private static let store = Result {
        let folder = try Folder()
        let load = "curl -s -o /dev/null http://a.test/ || true"
        _ = try Binary.run(
            ["run", "-q", "--store", "s.sqlite", "--recording", "long", "--", "sh", "-c", load], in: folder)
        let queue = try DatabaseQueue(path: folder.path("s.sqlite"))
        try queue.write { db in
            for _ in 0..<doublings {
                try db.execute(
                    sql: "INSERT INTO load (form, time, rule, entry) SELECT form, time, rule, entry FROM load")
            }
            try count(db)
        }
        try queue.close()
        return try Data(contentsOf: folder.url.appending(path: "s.sqlite"))
    }

    private static func count(_ db: Database) throws {
        try db.execute(
            sql: "UPDATE tally SET loads = (SELECT count(*) FROM load), last_seq = (SELECT max(seq) FROM load) "
                + "WHERE loads > 0")
    }

    private func names(ofStore name: String) throws -> String {
        try Binary.run(["recordings", "list", "--json", "--store", name], in: folder).output
    }

    /// Files of the folder whose names begin so.
    private func files(_ prefix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix(prefix) }
    }

    @Test("a report to a file appears whole or not at all, and leaves what was there until then")
    func report() throws {
        let words = ["report", "--store", "s.sqlite", "--format", "jsonl", "--output", "r.jsonl"]
        try folder.write("before", to: "r.jsonl")
        let cut = try Launch(words, in: folder)
        try #require(cut.waits { (try? files("r.jsonl.").isEmpty) == false })
        cut.send(SIGINT)
        #expect(cut.wait().status == 130)
        #expect(try files("r.jsonl") == ["r.jsonl"])
        #expect(folder.read("r.jsonl") == "before")
        chmod(folder.path("r.jsonl"), 0o640)
        #expect(try Binary.run(words, in: folder).status == 0)
        #expect(try files("r.jsonl") == ["r.jsonl"])
        let lines = try Data(contentsOf: folder.url.appending(path: "r.jsonl")).withUnsafeBytes { bytes in
            // By the system: closures of tests are not optimised, and these are 180 MB.
            var (count, rest) = (0, bytes)
            while let start = rest.baseAddress, let end = memchr(start, 0x0A, rest.count) {
                count += 1
                rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(end) - start + 1)...])
            }
            return count
        }
        #expect(lines == 1 << Self.doublings)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("r.jsonl"))[.posixPermissions]
        #expect(mode as? Int == 0o640)
    }

    @Test("an export that is interrupted leaves nothing, with and without masks", arguments: [[], ["--redact"]])
    func export(options: [String]) throws {
        let cut = try Launch(["recordings", "export", "long", "t.sqlite", "--store", "s.sqlite"] + options, in: folder)
        try #require(cut.waits { (try? files("t.sqlite").isEmpty) == false })
        cut.send(SIGINT)
        #expect(cut.wait().status == 130)
        #expect(try files("t.sqlite").isEmpty)
    }

    @Test("an import that is interrupted takes in nothing; the store stays sound")
    func importing() throws {
        let words = ["recordings", "import", "s.sqlite", "--store", "fresh.sqlite"]
        let cut = try Launch(words, in: folder)
        try #require(
            cut.waits {
                let log = try? FileManager.default.attributesOfItem(atPath: folder.path("fresh.sqlite-wal"))
                return (log?[.size] as? Int ?? 0) > 1 << 18
            })
        cut.send(SIGINT)
        #expect(cut.wait().status == 130)
        #expect(try names(ofStore: "fresh.sqlite").isEmpty)
        #expect(try Binary.run(["recordings", "check", "--store", "fresh.sqlite"], in: folder).status == 0)
        // Another one goes on as if nothing had been. It need not be as long.
        let queue = try DatabaseQueue(path: folder.path("s.sqlite"))
        try queue.write { db in
            try db.execute(sql: "DELETE FROM load WHERE seq > 1000")
            try Self.count(db)
        }
        try queue.close()
        #expect(try Binary.run(words, in: folder).prose.contains("took in 1000 loads of long"))
    }

    @Test("on a terminal it counts, and takes the line away at the end")
    func progress() throws {
        let outcome = try Terminal.run(
            ["report", "--store", "s.sqlite", "--format", "jsonl", "--output", "r.jsonl"], in: folder,
            environment: ["ATSGATE_PROGRESS_MS": "0"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(/\ratsgate: reading: \d+ loads\u{1B}\[K/))
        #expect(outcome.output.contains("\r\u{1B}[K"))
    }

    @Test("elsewhere nothing is said of it")
    func quiet() throws {
        let outcome = try Binary.run(
            ["report", "--store", "s.sqlite", "--format", "jsonl", "--output", "r"], in: folder)
        #expect(!outcome.prose.contains("reading"))
    }
}
