import Foundation
import Testing

/// Keeping the store tidy by the built command.
@Suite("recordings", .timeLimit(.minutes(10)))
struct RecordingsTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        for (name, hosts) in [("one", ["a.test", "b.test"]), ("two", ["a.test"])] {
            let script = "curl -s " + hosts.map { "http://\($0)/ -o /dev/null" }.joined(separator: " ") + " || true"
            _ = try Binary.run(
                ["run", "-q", "--store", "s.sqlite", "--recording", name, "--", "sh", "-c", script], in: folder)
        }
    }

    private func recordings(_ words: [String], store: String = "s.sqlite") throws -> Binary.Outcome {
        try Binary.run(["recordings"] + words + ["--store", store], in: folder)
    }

    private func names(store: String = "s.sqlite") throws -> [String] {
        try recordings(["list", "--json"], store: store).output.split(separator: "\n").compactMap {
            (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["name"] as? String
        }
    }

    @Test("list tells each in a line, for people and for scripts; show tells one, by host")
    func list() throws {
        let table = try recordings(["list"])
        #expect(table.status == 0)
        #expect(table.output.contains("NAME  START (UTC)"))
        #expect(table.output.contains("  2        2      2  "))
        #expect(try names() == ["one", "two"])
        let shown = try recordings(["show", "one"]).output
        #expect(shown.contains("loads    2, 2 of them refused") && shown.contains("mode     enforce"))
        #expect(shown.contains("b.test      1        1"))
        #expect(try recordings(["show"]).output.contains("name     two"))
        #expect(try recordings(["show", "three"]).status == 65)
    }

    @Test("rename and delete do what they say, and refuse names that are not there or taken")
    func changes() throws {
        #expect(try recordings(["rename", "one", "two"]).status == 65)
        #expect(try recordings(["rename", "three", "four"]).status == 65)
        #expect(try recordings(["rename", "one", "uno"]).status == 0)
        #expect(try names() == ["uno", "two"])
        let report = ["report", "--store", "s.sqlite", "--recording", "uno", "--format", "jsonl"]
        #expect(try Binary.run(report, in: folder).output.contains(#""recording":"uno""#))
        #expect(try recordings(["delete", "uno", "three"]).status == 65)
        #expect(try recordings(["delete", "uno"]).prose == "atsgate: took out 2 loads\n")
        #expect(try names() == ["two"])
    }

    @Test("prune goes by age and by size, and wants one of them")
    func prune() throws {
        for wrong in [[], ["--older-than", "5MB"], ["--larger-than", "5d"], ["--older-than", "x"]] {
            #expect(try recordings(["prune"] + wrong).status == 64)
        }
        #expect(try recordings(["prune", "--older-than", "1h", "--larger-than", "1MB"]).status == 0)
        #expect(try names() == ["one", "two"])
    }

    @Test("an exported file serves every command elsewhere, and is taken in under its own name or another")
    func transfer() throws {
        #expect(try recordings(["export", "one", "ticket.sqlite"]).status == 0)
        let replay = try Binary.run(["replay", "--store", "ticket.sqlite", "--os", "ios26.4"], in: folder)
        #expect(replay.status == 0 && replay.output.contains("same 2"))
        #expect(try recordings(["import", "ticket.sqlite"]).status == 65)
        #expect(try recordings(["import", "ticket.sqlite", "--as", "theirs"]).status == 0)
        #expect(try names().sorted() == ["one", "theirs", "two"])
        #expect(try recordings(["import", "ticket.sqlite"], store: "fresh.sqlite").status == 0)
        #expect(try names(store: "fresh.sqlite") == ["one"])
        #expect(try recordings(["export", "one", "s.sqlite"]).status == 64)
        #expect(try recordings(["export", "one", "no/such/t.sqlite"]).status == 65)
        #expect(try recordings(["import", "missing.sqlite"]).status == 65)
        try folder.write("text", to: "text")
        #expect(try recordings(["import", "text"]).status == 65)
    }

    @Test("a file that is there is replaced with --force alone")
    func force() throws {
        try folder.write("precious", to: "ticket.sqlite")
        let refused = try recordings(["export", "one", "ticket.sqlite"])
        #expect(refused.status == 64)
        #expect(refused.prose.contains("--force"))
        #expect(folder.read("ticket.sqlite") == "precious")
        #expect(try recordings(["export", "one", "ticket.sqlite", "--force"]).status == 0)
        #expect(try names(store: "ticket.sqlite") == ["one"])
    }

    @Test("a recording without loads is exported and taken in as one, masked too", arguments: [[], ["--redact"]])
    func empty(options: [String]) throws {
        _ = try Binary.run(
            ["run", "-q", "--store", "s.sqlite", "--recording", "none", "--", "true"], in: folder)
        #expect(try names() == ["one", "two", "none"])
        #expect(try recordings(["export", "none", "t.sqlite"] + options).status == 0)
        let report = try Binary.run(["report", "--store", "t.sqlite"], in: folder)
        #expect(report.status == 3)
        #expect(report.prose.contains(": no load came through"))
        #expect(try recordings(["import", "t.sqlite", "--as", "theirs"]).status == 0)
        #expect(try names().contains("theirs"))
        #expect(try recordings(["check"]).status == 0)
        #expect(try recordings(["check"], store: "t.sqlite").status == 0)
    }

    @Test("a name that is used again is the newest one again")
    func reused() throws {
        _ = try Binary.run(
            [
                "run", "-q", "--store", "s.sqlite", "--recording", "one", "--", "sh", "-c",
                "curl -s -o /dev/null http://c.test/ || true",
            ], in: folder)
        #expect(try names() == ["two", "one"])
        #expect(try recordings(["show"]).output.contains("name     one"))
        #expect(try Binary.run(["report", "--store", "s.sqlite"], in: folder).prose.contains("recording one: 3 loads"))
    }

    @Test("a slip in a name is met with the one that is near")
    func nearName() throws {
        let outcome = try recordings(["show", "ome"])
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("has no recording ome; did you mean one?"))
    }
}
