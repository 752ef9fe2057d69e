import Foundation
import Testing

/// The options that commands with results share.
@Suite("Options for results", .timeLimit(.minutes(5)))
struct ResultOptionTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.write(#"{"NSTypo": true}"#, to: "p.json")
        try folder.write(DeviceLog.app, to: "app.log")
        let script = "curl -s http://a.test/ http://b.test/ -o /dev/null -o /dev/null || true"
        let run = ["run", "--os", "ios26", "--store", "s.sqlite", "--exit-zero", "--", "sh", "-c", script]
        _ = try Binary.run(run, in: folder)
    }

    private static let store = ["--store", "s.sqlite"]

    /// Commands with results, without options for their output.
    static let commands = [
        ["report"] + store, ["replay", "--os", "ios17"] + store, ["suggest"] + store, ["lint", "p.json"],
        ["audit", "p.json"], ["probe", "http://a.test/"], ["explain", "--policy", "p.json", "http://a.test/"],
        ["evidence", "read", "app.log"], ["evidence", "compare", "app.log"],
    ]

    @Test(
        "--output writes what standard output gets, and --quiet leaves no note on standard error", arguments: commands)
    func output(command: [String]) throws {
        let plain = try Binary.run(command, in: folder)
        #expect([0, 1].contains(plain.status) && !plain.output.isEmpty, "\(plain.prose)")
        let words = command[0] == "probe" ? ["--output", "out"] : ["--output", "out", "--quiet"]
        let filed = try Binary.run(command + words, in: folder)
        #expect(filed.status == plain.status && filed.output.isEmpty && filed.prose.isEmpty, "\(filed.prose)")
        #expect(folder.read("out") == plain.output)
        let refused = try Binary.run(command + ["--output", "no/such/file"], in: folder)
        #expect(refused.status == 74 && refused.prose.contains("no/such/file"), "\(refused.prose)")
    }

    @Test("--json is --format json, and other formats are refused with it", arguments: commands)
    func json(command: [String]) throws {
        let short = try Binary.run(command + ["--json"], in: folder)
        #expect([0, 1].contains(short.status) && short.output.hasPrefix("{"), "\(short.prose)")
        guard ["report", "suggest", "lint", "audit"].contains(command[0]) else { return }
        #expect(try Binary.run(command + ["--format", "json"], in: folder).output == short.output)
        #expect(try Binary.run(command + ["--json", "--format", "markdown"], in: folder).status == 64)
    }

    @Test("--quiet leaves errors")
    func errors() throws {
        let outcome = try Binary.run(["lint", "-q", "none.plist", "--output", "out"], in: folder)
        #expect(outcome.status == 65 && outcome.prose.hasPrefix("atsgate: error: none.plist"), "\(outcome.prose)")
    }

    @Test("--all-os judges by every release")
    func everyRelease() throws {
        let replay = try Binary.run(["replay", "--all-os", "--json"] + Self.store, in: folder)
        let systems = replay.output.matches(of: /"os":"([a-z0-9.]+)"/).map { String($0.1) }
        #expect(systems.contains("ios9") && systems.contains("macos27") && systems.count == 14, "\(replay.prose)")
        let suggest = try Binary.run(["suggest", "--all-os"] + Self.store, in: folder)
        #expect(suggest.status == 0 && suggest.output.contains("NSExceptionAllowsInsecureHTTPLoads"))
    }
}
