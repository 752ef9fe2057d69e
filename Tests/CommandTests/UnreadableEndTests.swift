import Foundation
import Testing

/// The end of `run` and `proxy` if another program damaged the store.
@Suite("a store that cannot be read at the end", .timeLimit(.minutes(5)))
struct UnreadableEndTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Waits for the first load in the store, and damages its diagnosis.
    private static let forging = """
        import sqlite3, time
        db = sqlite3.connect("s.sqlite", timeout=10, isolation_level=None)
        # No event reports a commit of another process.
        while db.execute("SELECT count(*) FROM load").fetchone()[0] == 0: time.sleep(0.01)
        db.execute("UPDATE diagnosis SET text = '['")
        """

    private let options = [
        "--store", "s.sqlite", "--report", "junit=r.xml", "--report", "csv=r.csv", "--json", "r.jsonl", "--baseline",
        "known.txt",
    ]

    /// Checks that the end continued after the error: the JSON lines, the line with the verdicts, and an attempt for each
    /// report. The error is the last but for `lines` lines.
    private func check(_ outcome: Binary.Outcome, _ status: Int32, before lines: Int = 0) {
        #expect(outcome.status == status, "\(outcome.prose)")
        #expect(folder.read("r.jsonl").contains("blocked.example"))
        for report in ["junit=r.xml", "csv=r.csv"] {
            #expect(outcome.prose.contains("the report \(report): s.sqlite is "))
        }
        #expect(outcome.prose.contains("atsgate: 1 load: 1 blocked\n"), "\(outcome.prose)")
        let last = outcome.prose.split(separator: "\n").dropLast(lines).last ?? ""
        #expect(last.hasPrefix("atsgate: error: the records cannot be read back: s.sqlite is damaged"), "\(last)")
    }

    @Test("run tries each report, then prints the error, and ends with 74 or the command's code")
    func run() throws {
        try folder.write("", to: "known.txt")
        try folder.write(Self.forging, to: "forge.py")
        let script = "curl -s -o /dev/null http://blocked.example/; python3 forge.py"
        check(try Binary.run(["run"] + options + ["--", "sh", "-c", script], in: folder), 74)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path("s.sqlite" + suffix))
        }
        let failed = try Binary.run(["run"] + options + ["--", "sh", "-c", script + "; exit 2"], in: folder)
        check(failed, 2, before: 1)
        #expect(failed.prose.hasSuffix("exit code 2 is from sh; from atsgate it would be 74\n"))
    }

    @Test("proxy does the same, and ends with 74")
    func proxy() throws {
        try folder.write("", to: "known.txt")
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "off"] + options, in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        let port = folder.read("port").trimmingCharacters(in: .newlines)
        let load = ["curl", "-s", "-o", "/dev/null", "-x", "http://127.0.0.1:\(port)", "http://blocked.example/"]
        #expect(try Binary.tool(load) == 0)
        try folder.write(
            Self.forging.replacing("\"s.sqlite\"", with: "\"\(folder.path("s.sqlite"))\""), to: "forge.py")
        #expect(try Binary.tool(["python3", folder.path("forge.py")]) == 0)
        check(gate.stop(), 74)
    }
}
