import Foundation
import GRDB
import Testing

/// Stores with content that no gate wrote, read by the built command and by a running gate. A trap would end them by a
/// signal.
@Suite("damaged stores", .timeLimit(.minutes(10)))
struct DamagedStoreTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        for name in ["one", "two"] {
            let script = "curl -s http://a.test/ http://b.test/ http://c.test/ -o /dev/null || true"
            _ = try Binary.run(
                ["run", "-q", "--store", "s.sqlite", "--recording", name, "--", "sh", "-c", script], in: folder)
        }
    }

    private func forge(_ sql: String, _ store: String = "s.sqlite") throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let database = try DatabaseQueue(path: folder.path(store), configuration: configuration)
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
        try database.close()
    }

    private func run(_ words: [String]) throws -> Binary.Outcome {
        try Binary.run(words + ["--store", "s.sqlite"], in: folder)
    }

    @Test(
        "a command that meets damage names it in one line and ends with 65, and leaves no file",
        arguments: [
            ["report", "--recording", "one", "--by", "host"], ["doctor"], ["report", "--recording", "one"],
            ["report", "--all", "--format", "html", "--output", "out"], ["suggest", "--recording", "one"],
            ["report", "--recording", "one", "--format", "jsonl", "--output", "out"],
            ["replay", "--recording", "one", "--os", "ios17"],
            ["recordings", "export", "one", "out"], ["recordings", "export", "one", "out", "--redact"],
        ])
    func readers(command: [String]) throws {
        try forge("UPDATE load SET time = 'abc' WHERE seq = 1")
        let outcome = try run(command)
        #expect(outcome.status == 65, "\(outcome.prose)")
        #expect(outcome.prose.contains("error: s.sqlite is damaged: its time is not a number\n"), "\(outcome.prose)")
        #expect(!outcome.prose.contains("Fatal") && !outcome.prose.contains("a.test"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("."))
        #expect(!names.contains { $0 == "out" || $0.hasPrefix("out.") }, "\(names)")
    }

    @Test("delete removes a damaged recording and leaves the others unchanged")
    func delete() throws {
        try forge("UPDATE load SET time = 'abc', more = x'00' WHERE seq < 3")
        #expect(try run(["doctor"]).status == 65)
        #expect(try run(["recordings", "delete", "one"]).status == 0)
        #expect(try run(["doctor"]).output == "1 recording, 3 loads: all can be read\n")
        #expect(try run(["report", "--recording", "two"]).status == 0)
    }

    @Test("doctor finds a load that is not counted")
    func check() throws {
        #expect(try run(["doctor"]).output == "2 recordings, 6 loads: all can be read\n")
        try forge("DELETE FROM load WHERE seq = 2")
        let found = try run(["doctor"])
        #expect(found.status == 65 && found.prose.contains("it counts 6 loads, but has 5"), "\(found.prose)")
    }

    @Test("import refuses a damaged store and a bad line as a whole, and names the damage")
    func importing() throws {
        try FileManager.default.copyItem(atPath: folder.path("s.sqlite"), toPath: folder.path("theirs.sqlite"))
        try forge("UPDATE load SET time = 'abc' WHERE seq = 2", "theirs.sqlite")
        #expect(try run(["recordings", "export", "one", "bad.jsonl"]).status == 0)
        let lines = folder.read("bad.jsonl").replacing("\"verdict\":\"blocked\"", with: "\"verdict\":\"perhaps\"")
        try folder.write(lines, to: "bad.jsonl")
        for (file, words) in [
            ("theirs.sqlite", "theirs.sqlite is damaged: its time is not a number"),
            ("bad.jsonl", "bad.jsonl:3: verdict is damaged"),
        ] {
            let refused = try Binary.run(["recordings", "import", file, "--store", "new.sqlite"], in: folder)
            #expect(refused.status == 65 && refused.prose.contains(words), "\(refused.prose)")
            let left = try Binary.run(["doctor", "--store", "new.sqlite"], in: folder)
            #expect(left.output == "0 recordings, 0 loads: all can be read\n", "\(file)")
        }
        let report = try Binary.run(["report", "--store", "bad.jsonl"], in: folder)
        #expect(report.status == 65 && report.prose.contains("bad.jsonl:3: verdict is damaged"), "\(report.prose)")
    }

    @Test("a name with a line end stays on one line in all output")
    func lineEnds() throws {
        #expect(try run(["recordings", "delete", "two"]).status == 0)
        try forge("UPDATE shared SET recording = 'a' || char(10) || 'zz'")
        try forge("UPDATE recording SET name = 'a' || char(10) || 'zz'")
        let file = ["recordings", "import", "s.sqlite", "--store", "fresh.sqlite"]
        let prose = try Binary.run(file, in: folder).prose
        #expect(prose == "atsgate: imported 3 loads from a\\u{a}zz\n")
        for command in [
            ["recordings", "list"], ["recordings", "list", "none"], ["report", "--by", "host"], ["report"],
        ] {
            let outcome = try run(command)
            #expect(!(outcome.output + outcome.prose).contains("\nzz"), "\(command)")
        }
    }

    /// Attacks on the columns of a store; ReportingTests/HostileStoreTests has all others.
    private static let attacks = [
        "UPDATE tally SET loads = 9223372036854775807", "UPDATE load SET time = 9223372036854775807",
        "UPDATE load SET seq = 9223372036854775807 WHERE seq = (SELECT max(seq) FROM load)",
        "UPDATE load SET path = path || hex(zeroblob(2500000)) WHERE seq = 2",
        "UPDATE shared SET text = replace(hex(zeroblob(2500000)), '00', '[')", "DELETE FROM shared",
        "UPDATE diagnosis SET text = replace(text, '{', '[')", "DELETE FROM meta",
        "CREATE TRIGGER t AFTER INSERT ON load BEGIN DELETE FROM load; END",
    ]

    @Test("no command uses more than 5 seconds of a processor or 200 MB, or ends by a signal", arguments: attacks)
    func commands(sql: String) throws {
        try forge(sql)
        for command in [
            ["report", "--all", "--format", "html", "--store", "s.sqlite"],
            ["doctor", "--store", "s.sqlite"],
            ["recordings", "list", "--store", "s.sqlite"], ["replay", "--os", "ios17", "--store", "s.sqlite"],
            ["recordings", "import", "s.sqlite", "--store", "own.sqlite"],
            ["recordings", "delete", "one", "--store", "s.sqlite"],
        ] {
            let found = try Launch(command, in: folder, limits: (200 << 10, 5)).wait()
            #expect([0, 1, 3, 65].contains(found.status), "\(command): \(found.status) \(found.prose)")
        }
    }
}
