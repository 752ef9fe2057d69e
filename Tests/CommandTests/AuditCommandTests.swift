import Foundation
import Testing

/// An app and a recording, audited by the built command.
@Suite("audit", .timeLimit(.minutes(10)))
struct AuditCommandTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "My.app"), withIntermediateDirectories: true)
        try folder.write(
            """
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>app.demo</string></dict></plist>
            """, to: "My.app/Info.plist")
        try folder.write("['http://a.demo.app/x','https://b.demo.app','https://c.demo.app']", to: "My.app/app.js")
    }

    @Test("findings decide the exit code by --fail-on, and a path without an app ends with 65")
    func exitCodes() throws {
        let plain = try Binary.run(["audit", "My.app"], in: folder)
        #expect(plain.status == 0)
        #expect(plain.output.hasPrefix("grade A  ATS is in force for every host.\n"))
        #expect(
            plain.prose.contains("grade A; 0 errors, 0 warnings, 2 notes in 1 program; 3 hosts, 1 of them cleartext"))
        for rule in ["lint.unset", "audit.cleartext-blocked"] { #expect(plain.output.contains("[\(rule)]\n")) }
        #expect(try Binary.run(["audit", "My.app", "--fail-on", "note"], in: folder).status == 1)
        #expect(try Binary.run(["audit", "none.ipa"], in: folder).status == 65)
        try folder.write("PK\u{3}\u{4}damaged", to: "bad.ipa")
        #expect(try Binary.run(["audit", "bad.ipa"], in: folder).status == 65)
        #expect(try Binary.run(["audit", "My.app", "--min-coverage", "80"], in: folder).status == 64)
        #expect(try Binary.run(["audit", "My.app", "--os", "ios99x"], in: folder).status == 64)
    }

    @Test("the JSON has the documented keys, and --output writes the page to a file")
    func json() throws {
        let outcome = try Binary.run(
            ["audit", "My.app", "--format", "json", "--os", "ios17", "--output", "page.json"], in: folder)
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        let page = try #require(
            try JSONSerialization.jsonObject(with: Data(folder.read("page.json").utf8)) as? [String: Any])
        #expect(page["grade"] as? String == "A" && page["system"] as? String == "ios17")
        let hosts = try #require(page["hosts"] as? [[String: Any]])
        #expect(hosts.map { $0["host"] as? String } == ["a.demo.app", "b.demo.app", "c.demo.app"])
        #expect(hosts[0]["ruling"] as? [String: String] == ["app": "deny", "web": "deny", "media": "deny"])
        #expect(hosts[0]["loaded"] is NSNull && hosts[0]["url"] as? String == "http://a.demo.app/x")
        let programs = try #require(page["executables"] as? [[String: Any]])
        #expect(programs.map { $0["bundleID"] as? String } == ["app.demo"] && programs[0]["kind"] as? String == "app")
    }

    @Test("a recording gives each host its loads, and --min-coverage fails below the limit")
    func coverage() throws {
        let script = "curl -s http://a.demo.app/ http://other.demo.app/ -o /dev/null -o /dev/null || true"
        _ = try Binary.run(
            ["run", "--os", "ios26", "--store", "s.db", "--recording", "ci", "--exit-zero", "--", "sh", "-c", script],
            in: folder)
        let audit = ["audit", "My.app", "--store", "s.db", "--recording", "ci"]
        let page = try Binary.run(audit, in: folder)
        #expect(page.status == 0)
        #expect(page.output.contains("recording ci: 1 of 3 internet hosts of the app were loaded (33%)"))
        #expect(page.output.contains("not in the app's files: other.demo.app, 1 load"))
        #expect(try Binary.run(audit + ["--min-coverage", "33"], in: folder).status == 0)
        #expect(try Binary.run(audit + ["--min-coverage", "34"], in: folder).status == 1)
        #expect(try Binary.run(audit + ["--min-coverage", "34", "--fail-on", "none"], in: folder).status == 1)
        #expect(try Binary.run(audit.dropLast() + ["none"], in: folder).status == 65)
    }

    @Test("two builds are compared, and the help fits a screen")
    func comparison() throws {
        try FileManager.default.copyItem(
            at: folder.url.appending(path: "My.app"), to: folder.url.appending(path: "Old.app"))
        try folder.write("['https://b.demo.app']", to: "Old.app/app.js")
        let page = try Binary.run(["audit", "My.app", "--diff", "Old.app", "--format", "markdown"], in: folder)
        #expect(page.output.contains("#### Compared with Old.app") || page.output.contains("#### New hosts"))
        #expect(page.output.contains("http://a.demo.app/x (blocked)"))
        let help = try Binary.run(["audit", "--help"], in: folder).output
        #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count <= 40, "\(help)")
    }
}
