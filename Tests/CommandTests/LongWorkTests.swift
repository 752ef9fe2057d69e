import Foundation
import GRDB
import Processes
import Testing

/// Long work shows its progress, and leaves no partial result if it is interrupted.
@Suite("long work", .timeLimit(.minutes(10)))
struct LongWorkTests {
    let folder: Folder
    /// Work for a few tenths of a second.
    private static let doublings = 16

    /// A store with one recording of about ten thousand loads.
    init() throws {
        folder = try Folder()
        try Self.store.get().write(to: folder.url.appending(path: "s.sqlite"))
    }

    /// A store made by a gate and enlarged, once.
    private static let store = Result {
        let folder = try Folder()
        let load = "curl -s -o /dev/null http://a.test/ || true"
        _ = try Binary.run(
            ["run", "-q", "--store", "s.sqlite", "--recording", "long", "--", "sh", "-c", load], in: folder)
        let queue = try DatabaseQueue(path: folder.path("s.sqlite"))
        try queue.write { db in
            for _ in 0..<doublings {
                try db.execute(
                    sql: """
                        INSERT INTO load
                            (shared, diagnosis, time, path, id, client, method, sent, received, total, task,
                            task_number)
                        SELECT shared, diagnosis, time, path, randomblob(16), client, method, sent, received, total,
                            task, task_number FROM load
                        """)
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

    /// Files of the folder whose names have that prefix.
    private func files(_ prefix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix(prefix) }
    }

    @Test("a report file is replaced whole or not at all, and the old one stays until then")
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
            // Compared by a system tool, because test closures are not optimised and the files have 180 MB.
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

    @Test("an interrupted export leaves no file, with and without masks", arguments: [[], ["--redact"]])
    func export(options: [String]) throws {
        let cut = try Launch(["recordings", "export", "long", "t.jsonl", "--store", "s.sqlite"] + options, in: folder)
        try #require(cut.waits { (try? files("t.jsonl").isEmpty) == false })
        cut.send(SIGINT)
        #expect(cut.wait().status == 130)
        #expect(try files("t.jsonl").isEmpty)
    }

    @Test("an interrupted import adds no loads, and the store stays sound")
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
        #expect(try Binary.run(["doctor", "--store", "fresh.sqlite"], in: folder).status == 0)
        // A later import works as usual. A shorter one is enough.
        let queue = try DatabaseQueue(path: folder.path("s.sqlite"))
        try queue.write { db in
            try db.execute(sql: "DELETE FROM load WHERE seq > 1000")
            try Self.count(db)
        }
        try queue.close()
        #expect(try Binary.run(words, in: folder).prose.contains("imported 1000 loads from long"))
    }

    @Test("on a terminal progress is counted, and its line is erased at the end")
    func progress() throws {
        let outcome = try Terminal.run(
            ["report", "--store", "s.sqlite", "--format", "jsonl", "--output", "r.jsonl"], in: folder,
            environment: ["ATSGATE_PROGRESS_MS": "0"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(/\ratsgate: reading: \d+ loads\u{1B}\[K/))
        #expect(outcome.output.contains("\r\u{1B}[K"))
    }

    @Test("without a terminal no progress is printed")
    func quiet() throws {
        let outcome = try Binary.run(
            ["report", "--store", "s.sqlite", "--format", "jsonl", "--output", "r"], in: folder)
        #expect(!outcome.prose.contains("reading"))
    }
}
