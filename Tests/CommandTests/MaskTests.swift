import Foundation
import Processes
import TestSupport
import Testing

/// Names that must not be stored or shown, checked with the built command.
@Suite("--mask and --redact", .timeLimit(.minutes(10)))
struct MaskTests {
    let folder: Folder
    private let lab: Launch
    private static let formats = [
        "text", "markdown", "html", "json", "jsonl", "csv", "csv-loads", "har", "junit", "sarif", "github", "gitlab",
    ]

    init() throws {
        folder = try Folder()
        lab = try Launch.lab(in: folder)
        try folder.write(
            #"{"NSExceptionDomains": {"good.lab.test": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#, to: "app.json")
    }

    /// Records allowed loads, loads that break a rule before and after the handshake, and a load that follows a
    /// redirect.
    private func record(_ options: [String], recording: String = "private-run") throws -> Binary.Outcome {
        let urls = [
            "https://good.lab.test/users/alice/orders?page=2", "https://expired.lab.test/users/roberta",
            "http://cleartext.lab.test/users/carol", "https://wrong-host.lab.test/", "https://rsa-kx.lab.test/x",
        ]
        let curl = "curl -s -o /dev/null --max-time 60 --cacert \"$CURL_CA_BUNDLE\" "
        let script = urls.map { curl + "'\($0)' || true" }.joined(separator: "; ")
        return try Binary.run(
            [
                "run", "--config", "lab.conf", "--policy", "app.json", "--store", "s.sqlite", "--recording", recording,
                "--assume", "app",
            ] + options + ["--", "sh", "-c", script], in: folder)
    }

    /// Every file that the run wrote, except files that the user wrote or keeps private.
    private func files() throws -> [(name: String, bytes: Data)] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path("."))
        let own = ["lab.conf", "app.json", "s.sqlite.mask"]
        return names.filter { !own.contains($0) && !$0.hasSuffix(".in") }.compactMap { name in
            FileManager.default.contents(atPath: folder.path(name)).map { (name, $0) }
        }
    }

    @Test("masked names are in no output of the run: store, records, console, log, reports")
    func masked() throws {
        let written = Set(try files().map(\.name))
        let reports = Self.formats.flatMap { ["--report", "\($0)=out.\($0)"] }
        let outcome = try record(
            [
                "--mask", "*.lab.test", "--mask", "/users/*", "--console", "apple", "--json", "r.jsonl", "--verbose",
                "--annotate", "github",
            ] + reports)
        #expect(outcome.status == 1)
        let files = try files().filter { !written.contains($0.name) }
        #expect(files.contains { $0.name.hasPrefix("s.sqlite") } && files.count > Self.formats.count)
        for secret in [
            "good.lab", "expired.lab", "cleartext.lab", "wrong-host.lab", "rsa-kx.lab", "alice", "roberta", "carol",
        ] {
            for file in files {
                #expect(file.bytes.range(of: Data(secret.utf8)) == nil, "\(secret) is in \(file.name)")
            }
        }
        #expect(folder.read("r.jsonl").contains(".lab.test/users/masked-"))
        // The dictionary's entry still matches its load, in the run's own report and in a later one.
        #expect(folder.read("out.json").contains(#""served":1"#))
        let later = try Binary.run(["report", "--store", "s.sqlite", "--format", "json"], in: folder).output
        #expect(!later.contains("good.lab") && later.contains(#""served":1"#))
        let replay = ["replay", "--store", "s.sqlite", "--policy", "app.json", "--json"]
        #expect(try Binary.run(replay, in: folder).output.contains(#""newlyBlocked":[],"newlyAllowed":[]"#))
    }

    @Test("recordings made without --mask are judged by their plain names")
    func mixed() throws {
        try folder.write(
            #"{"NSExceptionDomains": {"cleartext.lab.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
            to: "app.json")
        _ = try record([], recording: "plain")
        _ = try record(["--mask", "*"], recording: "masked")
        let key = "\"cleartext.lab.test\""
        for (recording, isPlain) in [("plain", true), ("masked", false)] {
            let of = ["--store", "s.sqlite", "--recording", recording]
            let replay = try Binary.run(["replay", "--policy", "app.json", "--json"] + of, in: folder).output
            #expect(replay.contains(#""newlyBlocked":[]"#), "\(recording): \(replay)")
            let report = try Binary.run(["report", "--format", "json"] + of, in: folder).output
            #expect(report.contains(#""served":1"#) && report.contains(key) == isPlain, "\(recording): \(report)")
        }
    }

    @Test("the key file is completed if possible, and never gets a second key")
    func keyFile() throws {
        let run = ["run", "--store", "s.sqlite", "--mask", "a.test", "--allow-no-loads", "--", "true"]
        let key = "key 00112233445566778899aabbccddeeff"
        try folder.write("\(key)\r\nmask *.test", to: "s.sqlite.mask")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("s.sqlite.mask"))
        #expect(try Binary.run(run, in: folder).status == 0)
        #expect(folder.read("s.sqlite.mask") == "\(key)\r\nmask *.test\nmask a.test\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("s.sqlite.mask"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try folder.write("key 0011\nmask *.test\n", to: "s.sqlite.mask")
        #expect(try Binary.run(run, in: folder).status == 65)
        #expect(folder.read("s.sqlite.mask") == "key 0011\nmask *.test\n")
    }

    @Test("gates that share a key make the same tokens, and a store has one key")
    func sharedKey() throws {
        let key = "key 00112233445566778899aabbccddeeff"
        try folder.write(key + "\n", to: "fleet.mask")
        func run(_ store: String, _ options: [String]) throws -> Binary.Outcome {
            let load = ["curl", "-s", "-o", "/dev/null", "http://private.test/"]
            let json = ["--json", store + ".jsonl", "--store", store]
            return try Binary.run(["run", "--quiet"] + json + options + ["--"] + load, in: folder)
        }
        let shared = ["--mask", "*", "--mask-key", "fleet.mask"]
        for store in ["one", "two", "none"] { #expect(try run(store, shared).status == 1) }
        #expect(try run("own", ["--mask", "*"]).status == 1)
        let tokens = try ["one", "two", "none", "own"].map { store in
            try #require(folder.read(store + ".jsonl").firstMatch(of: /masked-[a-z0-9]+\.[a-z0-9-]+/)).output
        }
        #expect(Set(tokens.prefix(3)).count == 1 && tokens[3] != tokens[0], "\(tokens)")
        #expect(folder.read("one.mask") == key + "\nmask *\n")

        let refused = try run("own", shared)
        #expect(refused.status == 65 && refused.prose.contains("another key"), "\(refused.prose)")
        #expect(try run("one", ["--mask-key", "fleet.mask"]).status == 64)
        try folder.write("00112233445566778899aabbccddeeff\n", to: "fleet.mask")
        #expect(try run("three", shared).status == 65)
        #expect(try run("three", ["--mask", "*", "--mask-key", "missing"]).status == 65)
    }

    @Test("a redacted report leaves no temporary file, and reports that no load matches")
    func nothingLeft() throws {
        #expect(try record([]).status == 1)
        try FileManager.default.createDirectory(atPath: folder.path("temporary"), withIntermediateDirectories: true)
        let report = ["report", "--store", "s.sqlite", "--redact"]
        let environment = ["TMPDIR": folder.path("temporary")]
        let none = try Binary.run(report + ["--host", "none.test"], in: folder, environment: environment)
        #expect(none.prose.contains("no load matches the conditions"), "\(none.prose)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("temporary")).isEmpty)
    }

    @Test("the page gets no masked name, and the dictionary's entries still match their loads")
    func page() throws {
        let rig = try LabBehindGate(
            policy: #"{"NSExceptionDomains": {"good.lab.test": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#,
            options: ["--mask", "*.lab.test", "--web", "127.0.0.1:0", "--web-url-file", "page", "--assume", "app"])
        try rig.gate.wait(for: "page") { !rig.folder.read("page").isEmpty }
        let sides = rig.folder.read("page").trimmingCharacters(in: .newlines).components(separatedBy: "/?token=")
        for url in [LabBehindGate.intercepted, LabBehindGate.plain] {
            _ = try Binary.tool([
                "curl", "-s", "-o", "/dev/null", "--noproxy", "", "-x", "http://\(rig.proxy)", "--cacert",
                rig.folder.path("ca/ca-cert.pem"), url,
            ])
        }
        for path in ["report?format=json", "report?format=html", "records", "groups", "recordings"] {
            let curl = ["curl", "-s", "-f", "--noproxy", "*", "-o", rig.folder.path("answer")]
            let status = try Binary.tool(
                curl + ["-H", "Authorization: Bearer \(sides[1])", "\(sides[0])/api/v1/\(path)"])
            let answer = rig.folder.read("answer")
            #expect(status == 0 && !answer.contains("good.lab") && !answer.contains("cleartext.lab"), "\(path)")
            #expect(path == "recordings" || answer.contains(".lab.test"), "\(path)")
            #expect(!path.hasSuffix("json") || answer.contains(#""served":1"#), "\(answer)")
        }
    }

    @Test("an invalid pattern is reported before the command runs")
    func malformed() throws {
        let outcome = try Binary.run(["run", "--mask", "a b", "--", "touch", "ran"], in: folder)
        #expect(outcome.status == 64 && outcome.prose.contains("/users/*"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("ran")))
    }

    @Test("a redacted report contains no name, in any format")
    func redacted() throws {
        #expect(try record([]).status == 1)
        let secrets = ["lab.test", "alice", "roberta", "carol", "private-run", "app.json", folder.path(".")]
        for format in Self.formats {
            let report = ["report", "--store", "s.sqlite", "--redact", "--format", format]
            let outcome = try Binary.run(report, in: folder)
            // Formats for CI systems end with 1 for blocked loads.
            #expect([0, 1].contains(outcome.status), "\(format): \(outcome.prose)")
            for secret in secrets {
                #expect(!outcome.output.contains(secret), "\(secret) is in \(format)")
                #expect(!outcome.prose.contains(secret), "\(secret) is in the messages of \(format)")
            }
            #expect(outcome.output.contains("masked-"), "\(format)")
        }
        let json = try Binary.run(["report", "--store", "s.sqlite", "--redact", "--format", "json"], in: folder).output
        #expect(json.contains("trust.expired") && json.contains("ats.cleartext-load") && json.contains("\"served\":"))
        #expect(try record([], recording: "second").status == 1)
        let diff = try Binary.run(
            ["report", "--store", "s.sqlite", "--redact", "--diff", "private-run", "second"], in: folder)
        #expect(diff.status == 0 && !diff.output.contains("private-run") && !diff.output.contains("lab.test"))
    }

    @Test(
        "an export is masked as requested, and every command can open it",
        arguments: [["--redact"], ["--mask", "*", "--mask", "/**"]])
    func exported(options: [String]) throws {
        #expect(try record([]).status == 1)
        let export = ["recordings", "export", "private-run", "out.jsonl", "--store", "s.sqlite"] + options
        #expect(try Binary.run(export, in: folder).status == 0)
        let bytes = try #require(FileManager.default.contents(atPath: folder.path("out.jsonl")))
        for secret in ["good.lab", "alice", "roberta", "rsa-kx"] {
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        for command in [
            ["report"], ["recordings", "list"], ["report", "--by", "host"], ["suggest"],
            ["replay", "--policy", "app.json"],
        ] {
            let outcome = try Binary.run(command + ["--store", "out.jsonl"], in: folder)
            #expect([0, 1].contains(outcome.status), "\(command): \(outcome.prose)")
        }
        let byGate = try Binary.run(["report", "--by", "gate", "--store", "s.sqlite"] + options, in: folder)
        #expect(byGate.status == 64 && byGate.prose.contains("--by gate cannot be combined"), "\(byGate.prose)")
        let taken = try Binary.run(["recordings", "import", "out.jsonl", "--store", "t.sqlite"], in: folder)
        #expect(taken.status == 0 && taken.prose.contains("imported 5 loads"))
    }
}
