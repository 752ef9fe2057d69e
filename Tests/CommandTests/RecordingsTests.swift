import Foundation
import Testing

/// Maintenance of recordings with the built command.
@Suite("recordings", .timeLimit(.minutes(10)))
struct RecordingsTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Makes a store with two recordings.
    ///
    /// - Returns: The value for `--store`.
    private func store(_ kind: StoreKind) throws -> String {
        let store = try kind.word()
        for (name, hosts) in [("one", ["a.test", "b.test"]), ("two", ["a.test"])] {
            let script = "curl -s " + hosts.map { "http://\($0)/ -o /dev/null" }.joined(separator: " ") + " || true"
            _ = try Binary.run(
                ["run", "-q", "--store", store, "--recording", name, "--", "sh", "-c", script], in: folder)
        }
        return store
    }

    private func recordings(_ words: [String], at store: String) throws -> Binary.Outcome {
        try Binary.run(["recordings"] + words + ["--store", store], in: folder)
    }

    private func names(at store: String) throws -> [String] {
        try recordings(["list", "--json"], at: store).output.split(separator: "\n").compactMap {
            (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["name"] as? String
        }
    }

    @Test(
        "list prints a line per recording, also as JSON, or of those that are named", arguments: StoreKind.allCases)
    func list(kind: StoreKind) throws {
        let store = try store(kind)
        let table = try recordings(["list"], at: store)
        #expect(table.status == 0)
        #expect(table.output.contains("NAME  START (UTC)"))
        #expect(table.output.contains("  2        2      2  "))
        #expect(try names(at: store) == ["one", "two"])
        let shown = try recordings(["list", "one"], at: store).output
        #expect(shown.contains("\none ") && !shown.contains("\ntwo ") && shown.contains("  enforce  "), "\(shown)")
        let hosts = ["report", "--recording", "one", "--by", "host", "--store", store]
        #expect(try Binary.run(hosts, in: folder).output.contains("b.test      1        1"))
        #expect(try recordings(["list", "three"], at: store).status == 65)
    }

    @Test("a recording without a name is named after its dictionary and the time")
    func usualNames() throws {
        for app in ["Shop.app", "Checkout Demo.app/Contents"] {
            let bundle = folder.url.appending(path: app)
            try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
            try folder.write("<plist><dict/></plist>", to: app + "/Info.plist")
        }
        try folder.write("{}", to: "strict.json")
        let cases = [
            ("Shop.app/Info.plist", "Shop-20"), ("Checkout Demo.app", "Checkout-Demo-20"),
            ("strict.json", "strict-20"), (nil, "20"),
        ]
        for (number, (policy, name)) in cases.enumerated() {
            let store = "\(number).sqlite"
            let options = policy.map { ["--policy", $0] } ?? []
            #expect(
                try Binary.run(["run", "-q", "--store", store] + options + ["--", "true"], in: folder).status == 3)
            let names = try names(at: store)
            #expect(names.count == 1 && names[0].hasPrefix(name) && names[0].hasSuffix("Z"), "\(names)")
        }
    }

    @Test(
        "rename and delete work, and refuse missing names and names in use",
        arguments: StoreKind.allCases)
    func changes(kind: StoreKind) throws {
        let store = try store(kind)
        #expect(try recordings(["rename", "one", "two"], at: store).status == 65)
        #expect(try recordings(["rename", "three", "four"], at: store).status == 65)
        #expect(try recordings(["rename", "one", "uno"], at: store).status == 0)
        #expect(try names(at: store) == ["uno", "two"])
        let report = ["report", "--store", store, "--recording", "uno", "--format", "jsonl"]
        #expect(try Binary.run(report, in: folder).output.contains(#""recording":"uno""#))
        #expect(try recordings(["delete", "uno", "three"], at: store).status == 65)
        #expect(try recordings(["delete", "uno"], at: store).prose == "atsgate: deleted 2 loads\n")
        #expect(try names(at: store) == ["two"])
    }

    @Test("delete by age or size needs at least one of them, and no name", arguments: StoreKind.allCases)
    func prune(kind: StoreKind) throws {
        let store = try store(kind)
        let wrongs = [
            [], ["--older-than", "5MB"], ["--larger-than", "5d"], ["--older-than", "x"], ["one", "--older-than", "1h"],
        ]
        for wrong in wrongs { #expect(try recordings(["delete"] + wrong, at: store).status == 64) }
        #expect(try recordings(["delete", "--older-than", "1h", "--larger-than", "1MB"], at: store).status == 0)
        #expect(try names(at: store) == ["one", "two"])
    }

    @Test(
        "an exported file works with every command, and is imported under its name or another",
        arguments: StoreKind.allCases)
    func transfer(kind: StoreKind) throws {
        let store = try store(kind)
        #expect(try recordings(["export", "one", "ticket.jsonl"], at: store).status == 0)
        let replay = try Binary.run(["replay", "--store", "ticket.jsonl", "--os", "ios26.4"], in: folder)
        #expect(replay.status == 0 && replay.output.contains("same 2"))
        // Its own loads are not added again.
        #expect(try recordings(["import", "ticket.jsonl"], at: store).status == 0)
        #expect(try recordings(["list", "one", "--json"], at: store).output.contains("\"loads\":2,"))
        #expect(try recordings(["import", "ticket.jsonl", "--as", "two"], at: store).status == 65)
        #expect(try recordings(["import", "ticket.jsonl", "--as", "theirs"], at: store).status == 0)
        #expect(try names(at: store).sorted() == ["one", "theirs", "two"])
        #expect(try recordings(["list", "theirs", "--json"], at: store).output.contains("\"loads\":2,"))
        #expect(try recordings(["import", "ticket.jsonl"], at: "fresh.sqlite").status == 0)
        #expect(try names(at: "fresh.sqlite") == ["one"])
        if kind == .file { #expect(try recordings(["export", "one", "s.sqlite"], at: store).status == 64) }
        #expect(try recordings(["export", "one", "no/such/t.jsonl"], at: store).status == 74)
        #expect(try recordings(["import", "missing.sqlite"], at: store).status == 65)
        try folder.write("text", to: "text")
        #expect(try recordings(["import", "text"], at: store).status == 65)
    }

    @Test("an existing file is replaced only with --force", arguments: StoreKind.allCases)
    func force(kind: StoreKind) throws {
        let store = try store(kind)
        try folder.write("precious", to: "ticket.jsonl")
        let refused = try recordings(["export", "one", "ticket.jsonl"], at: store)
        #expect(refused.status == 64)
        #expect(refused.prose.contains("--force"))
        #expect(folder.read("ticket.jsonl") == "precious")
        #expect(try recordings(["export", "one", "ticket.jsonl", "--force"], at: store).status == 0)
        #expect(try names(at: "ticket.jsonl") == ["one"])
    }

    @Test(
        "a recording without loads is exported and imported as such, masked too",
        arguments: StoreKind.allCases, [[], ["--redact"]])
    func empty(kind: StoreKind, options: [String]) throws {
        let store = try store(kind)
        _ = try Binary.run(
            ["run", "-q", "--store", store, "--recording", "none", "--", "true"], in: folder)
        #expect(try names(at: store) == ["one", "two", "none"])
        #expect(try recordings(["export", "none", "t.jsonl"] + options, at: store).status == 0)
        let report = try Binary.run(["report", "--store", "t.jsonl"], in: folder)
        #expect(report.status == 3)
        #expect(report.prose.contains(": no load came through"))
        #expect(try recordings(["import", "t.jsonl", "--as", "theirs"], at: store).status == 0)
        #expect(try names(at: store).contains("theirs"))
        let check = kind == .file ? ["doctor"] : ["doctor", "--count"]
        #expect(try Binary.run(check + ["--store", store], in: folder).status == 0)
        #expect(try Binary.run(["doctor", "--store", "t.jsonl"], in: folder).status == 0)
    }

    @Test("a name that is used again becomes the newest", arguments: StoreKind.allCases)
    func reused(kind: StoreKind) throws {
        let store = try store(kind)
        _ = try Binary.run(
            [
                "run", "-q", "--store", store, "--recording", "one", "--", "sh", "-c",
                "curl -s -o /dev/null http://c.test/ || true",
            ], in: folder)
        #expect(try names(at: store) == ["two", "one"])
        #expect(try Binary.run(["report", "--store", store], in: folder).prose.contains("recording one: 3 loads"))
    }

    @Test("a misspelt name gets a suggestion", arguments: StoreKind.allCases)
    func nearName(kind: StoreKind) throws {
        let store = try store(kind)
        let outcome = try recordings(["list", "ome"], at: store)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("has no recording ome; did you mean one?"))
    }
}
