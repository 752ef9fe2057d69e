import Foundation
import Testing

/// Reports that a run writes at its end.
@Suite("--report", .timeLimit(.minutes(10)))
struct ReportFileTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.path("temporary"), withIntermediateDirectories: true)
    }

    private let script = "curl -s -o /dev/null http://blocked.example/ || true"

    private func run(_ options: [String], _ script: String) throws -> Binary.Outcome {
        try Binary.run(
            ["run", "-q"] + options + ["--", "sh", "-c", script], in: folder,
            environment: ["TMPDIR": folder.path("temporary")])
    }

    @Test(
        "reports are written with a store and without, whatever the command's status", arguments: ["s.sqlite", "none"])
    func written(store: String) throws {
        let options = ["--store", store, "--report", "junit=r.xml", "--report", "json=r.json"]
        #expect(try run(options, script + "; exit 7").status == 7)
        #expect(folder.read("r.xml").contains("blocked.example"))
        #expect(folder.read("r.json").contains("ats.cleartext-load"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("temporary")).isEmpty)
    }

    @Test("a report in a file that other accounts can read is written with a warning", arguments: [0o600, 0o644])
    func openReport(mode: Int) throws {
        try folder.write("", to: "r.xml")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path("r.xml"))
        let outcome = try run(["--store", "s.sqlite", "--report", "junit=r.xml"], script)
        #expect(folder.read("r.xml").contains("blocked.example"))
        let later = try Binary.run(["report", "--store", "s.sqlite", "--output", "r.xml"], in: folder)
        for said in [outcome.prose, later.prose] {
            #expect(
                said.contains("atsgate: warning: r.xml has mode 644: other accounts can read") == (mode == 0o644),
                "\(said)")
        }
    }

    @Test("a report that cannot be written ends the run with 74, after the others are written")
    func unwritable() throws {
        try FileManager.default.createDirectory(atPath: folder.path("no"), withIntermediateDirectories: true)
        let outcome = try run(
            ["--report", "csv=no/r.csv", "--report", "junit=r.xml", "--report", "text=/dev/full"],
            script + "; rmdir no")
        #expect(outcome.status == 74)
        #expect(outcome.prose.contains("csv=no/r.csv") && outcome.prose.contains("text=/dev/full"))
        #expect(folder.read("r.xml").contains("blocked.example"))
    }

    @Test(
        "an unwritable path is refused before the command runs, and leaves no file",
        arguments: [
            ["--report", "html=nope/x.html"], ["--report", "html=temporary"], ["--write-baseline", "nope/b.txt"],
        ])
    func refused(options: [String]) throws {
        let outcome = try run(options + ["--report", "junit=r.xml"], "touch ran")
        #expect(outcome.status == 74)
        #expect(outcome.prose.hasPrefix("atsgate: error: ") && outcome.prose.contains(" cannot be written: "))
        #expect(!FileManager.default.fileExists(atPath: folder.path("ran")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("r.xml")))
        let gate = try Binary.run(["proxy", "--listen", "127.0.0.1:0", "--web", "off"] + options, in: folder)
        #expect(gate.status == 74)
    }

    @Test("a file named by two reports, in any spelling, is refused; standard output and devices accept several")
    func namedTwice() throws {
        for second in ["r", "./r", folder.path("r"), "temporary/../r"] {
            let outcome = try run(["--report", "junit=r", "--report", "json=\(second)"], "touch ran")
            #expect(outcome.status == 64 && outcome.prose.contains("\(second) is named twice"), "\(outcome.prose)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("ran")))
        let gate = ["proxy", "--listen", "127.0.0.1:0", "--web", "off", "--report", "csv=r", "--report", "html=r"]
        #expect(try Binary.run(gate, in: folder).status == 64)
        let options = ["text=-", "csv=-", "json=/dev/null", "junit=/dev/null"].flatMap { ["--report", $0] }
        #expect(try run(options, script).status == 1)
    }

    @Test("- is standard output, and a run without loads writes an empty report")
    func standardOutput() throws {
        #expect(try run(["--report", "csv=-"], script).output.contains("http://blocked.example:80"))
        #expect(try run(["--report", "junit=r.xml"], "true").status == 3)
        #expect(folder.read("r.xml").contains("<testsuites"))
    }

    @Test("a run that reuses a recording's name reports its own loads only")
    func reusedName() throws {
        let options = [
            "--store", "s.sqlite", "--recording", "nightly", "--report", "json=r.json", "--annotate", "github",
        ]
        _ = try run(options, "curl -s -o /dev/null http://older.example/ || true")
        let outcome = try run(options, script)
        #expect(folder.read("r.json").contains("blocked.example") && !folder.read("r.json").contains("older.example"))
        #expect(outcome.prose.contains("blocked.example") && !outcome.prose.contains("older.example"))
        let whole = ["report", "--store", "s.sqlite", "--format", "json"]
        #expect(try Binary.run(whole, in: folder).output.contains("older.example"))
    }

    @Test("an invalid --report is refused before the command runs", arguments: ["junit", "junit=", "jnit=r.xml"])
    func malformed(argument: String) throws {
        let outcome = try run(["--report", argument], "touch ran")
        #expect(outcome.status == 64)
        #expect(argument != "jnit=r.xml" || outcome.prose.contains("did you mean junit?"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("ran")))
    }

    @Test("a stopped gate also writes its reports")
    func proxy() throws {
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--store", "none", "--report", "junit=r.xml"],
            in: folder)
        #expect(gate.waits { !folder.read("port").isEmpty })
        let port = folder.read("port").trimmingCharacters(in: .newlines)
        let load = ["curl", "-s", "-o", "/dev/null", "-x", "http://127.0.0.1:\(port)", "http://blocked.example/"]
        #expect(try Binary.tool(load) == 0)
        #expect(gate.stop().status == 0)
        #expect(folder.read("r.xml").contains("blocked.example"))
    }
}
