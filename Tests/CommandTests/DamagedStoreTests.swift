import Foundation
import GRDB
import Testing

/// Stores with content that no gate wrote, read by the built command. A trap would end it by a signal.
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

    private func forge(_ sql: String) throws {
        try DatabaseQueue(path: folder.path("s.sqlite")).writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    private func run(_ words: [String]) throws -> Binary.Outcome {
        try Binary.run(words + ["--store", "s.sqlite"], in: folder)
    }

    @Test(
        "every command reports the unreadable rows, processes the rest, and ends with 65",
        arguments: [
            ["recordings", "list"], ["recordings", "show", "one"], ["report", "--recording", "one"],
            ["report", "--recording", "one", "--format", "jsonl"], ["report", "--all", "--format", "html"],
            ["replay", "--recording", "one", "--os", "ios17"], ["suggest", "--recording", "one"],
            ["report", "--diff", "two", "one"],
            ["recordings", "export", "one", "ticket.sqlite"],
        ])
    func readers(command: [String]) throws {
        try forge("UPDATE load SET time = 'abc' WHERE seq = 1; UPDATE load SET entry = x'00' WHERE seq = 2")
        let outcome = try run(command)
        #expect(outcome.status == 65, "\(outcome.prose)")
        #expect(outcome.prose.contains("atsgate recordings check --store s.sqlite"))
        #expect(!outcome.prose.contains("Fatal") && !outcome.prose.contains("a.test"))
        if command.contains("jsonl") { #expect(outcome.output.contains("c.test")) }
    }

    @Test("delete removes a damaged recording and leaves the others unchanged")
    func delete() throws {
        try forge("UPDATE load SET time = 'abc', rule = x'00' WHERE seq < 3")
        #expect(try run(["recordings", "delete", "one"]).status == 0)
        #expect(try run(["recordings", "check"]).output.hasSuffix("everything can be read\n"))
        #expect(try run(["report", "--recording", "two"]).status == 0)
    }

    @Test("check reports the damage, and an export and import keep the sound rows")
    func check() throws {
        #expect(try run(["recordings", "check"]).status == 0)
        try forge("UPDATE load SET time = 'abc' WHERE seq = 1; UPDATE tally SET loads = 'x'")
        let found = try run(["recordings", "check"])
        #expect(found.status == 65)
        #expect(found.output.contains("recording one  2 sound, 1 unreadable"))
        #expect(found.output.contains("row 1: its time is not a number"))
        #expect(try run(["recordings", "export", "one", "rest.sqlite"]).status == 65)
        let rest = ["recordings", "import", "rest.sqlite", "--store", "new.sqlite"]
        #expect(try Binary.run(rest, in: folder).prose == "atsgate: imported 2 loads from one\n")
        #expect(try Binary.run(["recordings", "check", "--store", "new.sqlite"], in: folder).status == 0)
    }

    @Test("import refuses a file that no gate wrote, imports nothing, and reports the damage")
    func importing() throws {
        #expect(try run(["recordings", "export", "one", "ticket.sqlite"]).status == 0)
        let ticket = try DatabaseQueue(path: folder.path("ticket.sqlite"))
        try ticket.writeWithoutTransaction { try $0.execute(sql: "UPDATE load SET time = 'abc' WHERE seq = 2") }
        try ticket.close()
        let outcome = try Binary.run(
            ["recordings", "import", "ticket.sqlite", "--as", "x", "--store", "s.sqlite"], in: folder)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("row 2: its time is not a number; nothing was imported"))
        #expect(try run(["recordings", "check"]).status == 0)
    }

    @Test("a name with a line end stays on one line in all output")
    func lineEnds() throws {
        try forge("DELETE FROM load WHERE seq > 3; DELETE FROM form WHERE recording = 'two'")
        try forge("DELETE FROM tally WHERE recording = 'two'")
        for table in ["form", "tally"] { try forge("UPDATE \(table) SET recording = 'a' || char(10) || 'zz'") }
        let file = ["recordings", "import", "s.sqlite", "--store", "fresh.sqlite"]
        let prose = try Binary.run(file, in: folder).prose
        #expect(prose == "atsgate: imported 3 loads from a\\u{a}zz\n")
        for command in [["recordings", "list"], ["recordings", "show"], ["recordings", "show", "none"], ["report"]] {
            let outcome = try run(command)
            #expect(!(outcome.output + outcome.prose).contains("\nzz"), "\(command)")
        }
    }
}
