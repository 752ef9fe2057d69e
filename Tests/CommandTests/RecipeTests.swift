import Foundation
import Testing

/// The recipes of docs/ci, run unchanged.
@Suite("Recipes for CI", .timeLimit(.minutes(10)))
struct RecipeTests {
    let job: CIJob

    init() throws { job = try CIJob() }

    /// Checks that a script is red with its artefacts, green with the baseline, red without it, and green with the fix.
    private func prove(_ script: String, leaves artefacts: [String]) throws {
        let red = try job.run(script)
        #expect(red.status == 1, "\(red.prose)")
        for name in artefacts { #expect(job.folder.read(name).contains("cleartext.lab.test"), "\(name)") }
        let commands = try RecipePage("README.md").blocks("sh")
        let baseline = try #require(commands.first { $0.contains("--write-baseline") })
        #expect(try job.run(baseline).status == 0)
        #expect(try job.run(script).status == 0)
        let touch = try #require(commands.first { $0.hasPrefix("touch ") })
        try FileManager.default.removeItem(atPath: job.folder.path("atsgate-baseline.txt"))
        #expect(try job.run(touch).status == 0)
        #expect(try job.run(script).status == 1)
        try job.fix()
        #expect(try job.run(script).status == 0)
        try job.unfix()
    }

    @Test("the first command of the page works unchanged")
    func first() throws {
        let script = try #require(try RecipePage("README.md").blocks("sh").first)
        #expect(try job.run(script).status == 1)
        #expect(job.folder.read("atsgate.xml").contains("cleartext.lab.test"))
        try job.fix()
        #expect(try job.run(script).status == 0)
    }

    @Test("the GitHub Actions recipe for Linux works")
    func gitHub() throws {
        let page = try #require(try RecipePage("github-actions.md").blocks("yaml").first)
        let scripts = RecipePage.scripts(ofYAML: page)
        try prove(try #require(scripts.first), leaves: ["atsgate.xml", "atsgate.html", "atsgate.sarif"])
        #expect(scripts.count == 1)
    }

    @Test("the GitHub Actions recipe for a macOS simulator restores the network settings, whatever the outcome")
    func gitHubSimulator() throws {
        try job.becomeMac()
        let page = try #require(try RecipePage("github-actions.md").blocks("yaml").last)
        let steps = RecipePage.scripts(ofYAML: page)
        try #require(steps.count == 5)
        #expect(try steps.map { try job.run($0).status } == [0, 0, 0, 0, 1])
        for name in ["atsgate.xml", "atsgate.html"] { #expect(job.folder.read(name).contains("cleartext.lab.test")) }
        #expect(job.folder.read("setup.log").hasPrefix("setup simulator booted --proxy 127.0.0.1:"))
        #expect(job.folder.read("setup.log").hasSuffix("setup simulator --undo\n"))
        #expect(job.folder.read("xcrun.log").contains("simctl bootstatus iPhone 16 -b"))
        try forgetRun()
        try job.fix()
        #expect(try steps.map { try job.run($0).status } == [0, 0, 0, 0, 0])
    }

    @Test("the GitLab recipe works")
    func gitLab() throws {
        let page = try #require(try RecipePage("gitlab.md").blocks("yaml").first)
        let script = try #require(RecipePage.scripts(ofYAML: page).first)
        try prove(script, leaves: ["atsgate.xml", "gl-code-quality-report.json", "atsgate.html"])
    }

    @Test("the Bitrise recipe works")
    func bitrise() throws {
        job.set([
            "BITRISE_TEST_RESULT_DIR": job.folder.path("results"), "BITRISE_DEPLOY_DIR": job.folder.path("deploy"),
        ])
        let page = try #require(try RecipePage("bitrise.md").blocks("yaml").first)
        let script = try #require(RecipePage.scripts(ofYAML: page).first)
        try prove(script, leaves: ["results/atsgate/atsgate.xml", "deploy/atsgate.html"])
        #expect(job.folder.read("results/atsgate/test-info.json") == "{\"test-name\": \"App Transport Security\"}\n")
    }

    @Test("the Jenkins recipe works")
    func jenkins() throws {
        let page = try #require(try RecipePage("jenkins.md").blocks("groovy").first)
        let script = try #require(RecipePage.script(of: page, from: "sh '''", to: "'''"))
        try prove(script, leaves: ["atsgate.xml", "atsgate.html"])
    }

    @Test("the fastlane recipe works")
    func fastlane() throws {
        let page = try #require(try RecipePage("fastlane.md").blocks("ruby").first)
        let script = try #require(RecipePage.script(of: page, from: "<<~'SHELL')", to: "SHELL"))
        try prove(script, leaves: ["atsgate.xml", "atsgate.html"])
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
