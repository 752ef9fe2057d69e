import Foundation
import Testing

/// The recipes of docs/ci, run unchanged.
@Suite("Recipes for CI", .timeLimit(.minutes(10)))
struct RecipeTests {
    let job: CIJob

    init() throws { job = try CIJob() }

    /// Runs the steps of a recipe on a machine without atsgate. Checks that they are red with their artefacts, green with
    /// the baseline, red without it, and green with the fix; and that a changed archive is refused.
    private func prove(_ steps: [String], leaves artefacts: [String]) throws {
        try job.publish()
        func run() throws -> Int32 {
            for step in steps.dropLast() {
                let outcome = try job.run(step)
                guard outcome.status == 0 else {
                    Issue.record("\(step): \(outcome.status) \(outcome.prose)")
                    return outcome.status
                }
            }
            return try job.run(steps.last ?? "false").status
        }
        #expect(try run() == 1)
        #expect(job.folder.read("packages.log").isEmpty || job.folder.read("packages.log").contains("qrencode"))
        for name in artefacts { #expect(job.folder.read(name).contains("cleartext.lab.test"), "\(name)") }
        let baseline = try #require(try RecipePage("README.md").blocks("sh").first { $0.contains("--write-baseline") })
        #expect(try job.run("PATH=$PWD/.atsgate:$PATH; " + baseline).status == 0)
        // The cached program is used: the archive is gone.
        job.unpublish()
        #expect(try run() == 0)
        try FileManager.default.removeItem(atPath: job.folder.path("atsgate-baseline.txt"))
        #expect(try run() == 1)
        try job.fix()
        #expect(try run() == 0)
        try FileManager.default.removeItem(atPath: job.folder.path(".atsgate"))
    }

    /// Checks that a recipe's first step ends if the archive is not the expected one, and unpacks nothing.
    private func proveDigest(_ install: String) throws {
        try job.publish()
        job.set(["ATSGATE_SHA256": String(repeating: "0", count: 64)])
        #expect(try job.run(install).status == 1)
        #expect(!FileManager.default.fileExists(atPath: job.folder.path(".atsgate/atsgate")))
    }

    @Test("the first command of the page works unchanged")
    func first() throws {
        let script = try #require(try RecipePage("README.md").blocks("sh").first)
        #expect(try job.run(script).status == 1)
        #expect(job.folder.read("atsgate.xml").contains("cleartext.lab.test"))
        try job.fix()
        #expect(try job.run(script).status == 0)
    }

    @Test("the GitHub Actions recipe for Linux works, from the release archive on")
    func gitHub() throws {
        let page = try #require(try RecipePage("github-actions.md").blocks("yaml").first)
        let steps = RecipePage.scripts(ofYAML: page)
        try #require(steps.count == 2)
        try prove(steps, leaves: ["atsgate.xml", "atsgate.html", "atsgate.sarif"])
        try proveDigest(steps[0])
        #expect(!page.contains("atsgate.*"), "the store would be uploaded")
    }

    @Test("the GitHub Actions recipe for a macOS simulator restores the network settings, whatever the outcome")
    func gitHubSimulator() throws {
        try job.becomeMac()
        try job.publish()
        let page = try #require(try RecipePage("github-actions.md").blocks("yaml").last)
        let all = RecipePage.scripts(ofYAML: page)
        try #require(all.count == 6)
        #expect(try job.run(all[0]).status == 0)
        let steps = all.dropFirst()
        #expect(try steps.map { try job.run($0).status } == [0, 0, 0, 0, 1])
        for name in ["atsgate.xml", "atsgate.html"] { #expect(job.folder.read(name).contains("cleartext.lab.test")) }
        #expect(job.folder.read("setup.log").hasPrefix("setup simulator booted --proxy 127.0.0.1:"))
        #expect(job.folder.read("setup.log").hasSuffix("setup simulator --undo\n"))
        #expect(job.folder.read("xcrun.log").contains("simctl bootstatus iPhone 17 -b"))
        try forgetRun()
        try job.fix()
        #expect(try steps.map { try job.run($0).status } == [0, 0, 0, 0, 0])
    }

    @Test("the GitLab recipe works, from the release archive on")
    func gitLab() throws {
        let page = try #require(try RecipePage("gitlab.md").blocks("yaml").first)
        let steps = RecipePage.scripts(ofYAML: page)
        try #require(steps.count == 2)
        // GitLab runs before_script and script in one shell.
        try prove([steps.joined()], leaves: ["atsgate.xml", "gl-code-quality-report.json", "atsgate.html"])
        try proveDigest(steps[0])
    }

    @Test("the Bitrise recipe works, from the release archive on")
    func bitrise() throws {
        job.set([
            "BITRISE_TEST_RESULT_DIR": job.folder.path("results"), "BITRISE_DEPLOY_DIR": job.folder.path("deploy"),
        ])
        let page = try #require(try RecipePage("bitrise.md").blocks("yaml").first)
        let steps = RecipePage.scripts(ofYAML: page)
        try prove(steps, leaves: ["results/atsgate/atsgate.xml", "deploy/atsgate.html"])
        #expect(job.folder.read("results/atsgate/test-info.json") == "{\"test-name\": \"App Transport Security\"}\n")
        try proveDigest(try #require(steps.first))
    }

    @Test("the Jenkins recipe works, from the release archive on")
    func jenkins() throws {
        let page = try #require(try RecipePage("jenkins.md").blocks("groovy").first)
        let script = try #require(RecipePage.script(of: page, from: "sh '''", to: "'''"))
        try prove([script], leaves: ["atsgate.xml", "atsgate.html"])
        try proveDigest(script)
    }

    @Test("the fastlane recipe works, from the release archive on")
    func fastlane() throws {
        let page = try #require(try RecipePage("fastlane.md").blocks("ruby").first)
        let script = try #require(RecipePage.script(of: page, from: "<<~'SHELL')", to: "SHELL"))
        try prove([script], leaves: ["atsgate.xml", "atsgate.html"])
        try proveDigest(script)
    }

    @Test("the commands for device clouds judge the servers of a HAR file, and import it as a recording")
    func deviceCloud() throws {
        func entry(_ url: String) -> String {
            "{\"startedDateTime\": \"2026-11-28T10:00:00Z\", \"request\": {\"url\": \"\(url)\"}, "
                + "\"response\": {\"status\": 200}}"
        }
        let entries = ["https://good.lab.test/", "http://cleartext.lab.test/?key=secret"].map(entry)
        try job.folder.write(
            "{\"log\": {\"entries\": [\(entries.joined(separator: ",\n"))]}}", to: "session.har")
        let blocks = try RecipePage("device-clouds.md").blocks("sh")
        try #require(blocks.count == 2)
        #expect(try job.run(blocks[0]).status == 1)
        let xml = job.folder.read("probe.xml")
        #expect(xml.contains("cleartext.lab.test") && xml.contains("good.lab.test") && !xml.contains("secret"))
        let report = try job.run(blocks[1])
        #expect(report.status == 0 && report.output.contains("good.lab.test"), "\(report.prose)")
        let probed = try job.run("atsgate probe --store cloud.sqlite --recording cloud")
        #expect(probed.status == 1 && probed.output.contains("http://cleartext.lab.test"))
    }

    @Test("recipes download an archive of this version, with the name that a release has")
    func archives() throws {
        let version = try Binary.run(["--version"], in: job.folder).output.trimmingCharacters(in: .newlines)
        for page in ["github-actions.md", "gitlab.md", "jenkins.md", "bitrise.md", "fastlane.md"] {
            let text = try String(contentsOf: Repository.file("docs/ci/\(page)"), encoding: .utf8)
            let names = text.matches(of: /download\/v([0-9.]+)\/atsgate-([0-9.]+)-(linux-x86_64|darwin-arm64)\.tar\.xz/)
            #expect(!names.isEmpty && names.allSatisfy { $0.1 == version && $0.2 == version }, "\(page)")
        }
    }

    @Test("an Xcode build phase reports dictionary errors with their line, and passes a sound dictionary")
    func buildPhase() throws {
        job.set(["SRCROOT": job.folder.url.path, "INFOPLIST_FILE": "App/Info.plist"])
        let script = try #require(try RecipePage("xcode.md").blocks("sh").first)
        #expect(try job.run(script).status == 0)
        let wrong = job.folder.read("App/Info.plist").replacing(
            "<dict>\n</dict>", with: "<dict>\n<key>NSAllowsArbitaryLoads</key>\n<true/>\n</dict>")
        try job.folder.write(wrong, to: "App/Info.plist")
        let red = try job.run(script)
        #expect(red.status == 1)
        #expect(red.output.contains("App/Info.plist:8:1: error: "))
        try FileManager.default.removeItem(atPath: job.folder.path("bin/atsgate"))
        let missing = try job.run(script)
        #expect(missing.status == 0 && missing.output.hasPrefix("warning: "))
    }

    @Test("the pre- and post-actions of an Xcode scheme open the report only if loads were blocked")
    func scheme() throws {
        try job.becomeMac()
        job.set([
            "SRCROOT": job.folder.url.path, "CODESIGNING_FOLDER_PATH": job.folder.path("App/Info.plist"),
        ])
        let blocks = try RecipePage("xcode.md").blocks("sh")
        try #require(blocks.count == 3)
        func test() throws -> [Int32] {
            try [blocks[1], "xcodebuild", blocks[2]].map { try job.run($0).status }
        }
        #expect(try test() == [0, 0, 0])
        #expect(job.folder.read("atsgate.html").contains("cleartext.lab.test"))
        #expect(job.folder.read("open.log") == "atsgate.html\n")
        #expect(job.folder.read("setup.log").hasSuffix("setup simulator --undo\n"))
        try forgetRun()
        try job.fix()
        #expect(try test() == [0, 0, 0])
        #expect(!FileManager.default.fileExists(atPath: job.folder.path("open.log")))
    }

    private func forgetRun() throws {
        for name in [
            "atsgate.port", "atsgate.html", "atsgate.xml", "atsgate.sqlite", "open.log", "networksetup.log",
            "setup.log",
        ] {
            try? FileManager.default.removeItem(atPath: job.folder.path(name))
        }
    }
}
