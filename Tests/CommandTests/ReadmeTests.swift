import Foundation
import Testing

/// The README is true: its commands work, and each printed block is the real output.
@Suite("README", .timeLimit(.minutes(5)))
struct ReadmeTests {
    let job: CIJob
    private let gate: Launch
    private let port: String

    init() throws {
        job = try CIJob()
        let folder = job.folder
        try FileManager.default.createDirectory(atPath: folder.path("MyApp.app"), withIntermediateDirectories: true)
        for path in ["Info.plist", "MyApp.app/Info.plist"] { try folder.write(folder.read("App/Info.plist"), to: path) }
        try job.pack(["MyApp.ipa"])
        gate = try Launch(
            ["proxy", "--config", "lab.conf", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "off"],
            in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        port = folder.read("port").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Replaces a host that does not exist, and the default port, which may be in use.
    private func local(_ text: String) -> String {
        text.replacing("api.example.com", with: "good.lab.test").replacing("127.0.0.1:9802", with: "127.0.0.1:\(port)")
    }

    @Test("printed blocks equal the output of their commands, except for marked cuts")
    func printed() throws {
        let steps = try Transcript(of: "README.md").steps.filter { $0.output != nil }
        #expect(steps.count >= 3)
        for step in steps {
            let outcome = try job.run(local(step.command) + " 2>&1 || true")
            #expect(
                step.matches(outcome.output.replacing("127.0.0.1:\(port)", with: "127.0.0.1:9802")),
                "\(step.command) printed:\n\(outcome.output)")
        }
    }

    @Test("every command exists in atsgate and accepts its options")
    func commands() throws {
        let steps = try Transcript(of: "README.md").steps.filter {
            $0.output == nil && $0.command.hasPrefix("atsgate ")
        }
        #expect(steps.count >= 10)
        // A load for the reports.
        _ = try job.run(local("curl -s -o /dev/null -x http://127.0.0.1:9802 http://cleartext.lab.test/"))
        var statuses: [String: Int32] = [:]
        for step in steps {
            var command = local(step.command)
            // A gate runs until it is stopped. Its options are still parsed.
            if command.hasPrefix("atsgate proxy") { command += " --sample-config" }
            if command.hasPrefix("atsgate setup") { command += " --help" }
            let outcome = try job.run(command)
            #expect([0, 1].contains(outcome.status), "\(command): \(outcome.status) \(outcome.prose)")
            statuses[step.command] = outcome.status
        }
        #expect(statuses["atsgate run --policy Info.plist --report junit=atsgate.xml -- make test"] == 1)
        #expect(statuses["atsgate run --policy Info.plist --mode audit --baseline known.txt -- make test"] == 0)
    }

    @Test(
        "a block with other output is detected",
        arguments: [
            ("one\ntwo\n", true), ("one\n[...]\n", true), ("on[...]\ntwo\n", true), ("[...]\n", true),
            ("one\n", false), ("one\ntwo\nthree\n", false), ("o[...]o\ntwo\n", false), ("[...]\none\n", false),
        ])
    func comparison(printed: String, isRight: Bool) {
        #expect(Transcript.Step(command: "", output: printed).matches("one\ntwo\n") == isRight)
    }
}
