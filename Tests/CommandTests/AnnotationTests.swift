import Foundation
import Testing

/// Annotations, step summary and outputs for GitHub Actions.
@Suite("Annotations", .timeLimit(.minutes(10)))
struct AnnotationTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.path("ios"), withIntermediateDirectories: true)
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">
            <dict>
            <key>NSAppTransportSecurity</key>
            <dict>
            <key>NSExceptionDomains</key>
            <dict>
            <key>h1.test</key>
            <dict/>
            </dict>
            </dict>
            </dict>
            </plist>

            """, to: "ios/Info.plist")
    }

    @Test(
        "run and report end with 74, after all other work, if the summary or the outputs cannot be written",
        arguments: ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
    func unwritable(variable: String) throws {
        for path in ["/dev/full", "nowhere/file"] {
            let commands = [
                ["run", "-q", "--exit-zero", "--allow-no-loads", "--store", "s.sqlite", "--", "true"],
                ["run", "-q", "--store", "s.sqlite", "--", "curl", "-s", "-o", "/dev/null", "http://a.test/"],
                ["report", "--store", "s.sqlite", "--fail-on", "blocked", "--write-baseline", "base.txt"],
            ]
            for words in commands {
                let outcome = try Binary.run(
                    words, in: folder, environment: ["GITHUB_ACTIONS": "true", variable: path])
                #expect(outcome.status == 74, "\(words): \(outcome.prose)")
                #expect(outcome.prose.contains("atsgate: error: \(variable): "), "\(outcome.prose)")
            }
            #expect(folder.read("base.txt").contains("a.test"))
        }
    }

    private func run(
        _ options: [String], hosts: ClosedRange<Int>, store: String = "none"
    ) throws -> Binary.Outcome {
        let urls = hosts.map { "http://h\($0).test/ -o /dev/null" }.joined(separator: " ")
        return try Binary.run(
            ["run", "-q", "--store", store, "--policy", "ios/Info.plist"] + options
                + ["--", "sh", "-c", "curl -s \(urls) || true"], in: folder,
            environment: [
                "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": folder.url.path,
                "GITHUB_STEP_SUMMARY": folder.path("summary.md"), "GITHUB_OUTPUT": folder.path("output"),
            ])
    }

    private func annotations(_ outcome: Binary.Outcome) -> [Substring] {
        outcome.prose.split(separator: "\n").filter { $0.hasPrefix("::") }
    }

    @Test("at most ten annotations point at lines of the dictionary; the summary lists all, the outputs count them")
    func annotated() throws {
        let outcome = try run([], hosts: 1...12)
        #expect(outcome.status == 1)
        let lines = annotations(outcome)
        #expect(lines.count == 10)
        #expect(lines.allSatisfy { $0.hasPrefix("::error file=ios/Info.plist,line=") })
        #expect(lines[0].hasPrefix("::error file=ios/Info.plist,line=8,"), "the entry of h1.test")
        #expect(lines[1].hasPrefix("::error file=ios/Info.plist,line=6,"), "the line of NSExceptionDomains")
        let summary = folder.read("summary.md")
        for host in 1...12 { #expect(summary.contains("http://h\(host).test")) }
        #expect(folder.read("output") == "blocked=12\nfailed=0\nloads=12\nnew=12\nknown=0\n")
    }

    @Test("report writes the same annotations and summary if it is the judging step")
    func reported() throws {
        let environment = [
            "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": folder.url.path,
            "GITHUB_STEP_SUMMARY": folder.path("summary.md"), "GITHUB_OUTPUT": folder.path("output"),
        ]
        _ = try run(["--annotate", "none"], hosts: 1...2, store: "s.sqlite")
        try folder.write("h1.test ats.cleartext-load\n", to: "known.txt")
        let report = ["report", "--store", "s.sqlite"]
        let told = try Binary.run(report + ["--baseline", "known.txt"], in: folder, environment: environment)
        #expect(told.status == 1)
        #expect(annotations(told).count == 1 && told.prose.contains("::error file=ios/Info.plist,line=6,"))
        #expect(folder.read("summary.md").hasPrefix("### atsgate: 1 blocked, 1 known of 2 loads\n"))
        #expect(folder.read("output") == "blocked=2\nfailed=0\nloads=2\nnew=1\nknown=1\n")
        let shown = try Binary.run(report, in: folder, environment: environment)
        #expect(shown.status == 0 && annotations(shown).isEmpty)
    }

    @Test("known loads get no annotation, and --annotate none writes nothing")
    func quieter() throws {
        try folder.write("h1.test ats.cleartext-load\n", to: "known.txt")
        let new = try run(["--baseline", "known.txt"], hosts: 1...2)
        #expect(new.status == 1)
        #expect(annotations(new).count == 1 && new.prose.contains("::h2.test: cleartext HTTP, ATS needs https. "))
        #expect(folder.read("output") == "blocked=2\nfailed=0\nloads=2\nnew=1\nknown=1\n")
        #expect(folder.read("summary.md").hasPrefix("### atsgate: 1 blocked, 1 known of 2 loads\n"))
        try folder.write("", to: "output")
        #expect(annotations(try run(["--annotate", "none"], hosts: 1...1)).isEmpty)
        #expect(folder.read("output").isEmpty)
        #expect(try run(["--annotate", "gitlab"], hosts: 1...1).status == 64)
    }
}
