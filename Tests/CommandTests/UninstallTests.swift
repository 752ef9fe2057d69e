import Foundation
import Testing

@Suite("setup uninstall", .timeLimit(.minutes(10)))
struct UninstallTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func fileExists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.path("data/atsgate/" + name))
    }

    /// Makes one recording with one load, and a CA.
    private func record() throws {
        _ = try Binary.run(
            ["run", "--recording", "one", "--", "curl", "-s", "-o", "/dev/null", "http://one.invalid/"], in: folder)
    }

    @Test("it lists the files to remove with sizes, keeps recordings, and leaves foreign files")
    func authorityAlone() throws {
        try record()
        _ = try Binary.run(["ca", "rotate"], in: folder)
        try folder.write("mine", to: "data/atsgate/notes.txt")
        let listed = try Binary.run(["setup", "uninstall", "--dry-run"], in: folder)
        #expect(listed.status == 0)
        let lines = listed.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.hasPrefix("CA ") && $0.hasSuffix(" kB)") })
        #expect(listed.prose.contains("recordings stay: 1 recording, 1 load, "))
        #expect(fileExists("ca-key.pem"))
        let done = try Binary.run(["setup", "uninstall", "--yes"], in: folder)
        #expect(done.status == 0)
        #expect(done.output == listed.output)
        #expect(!fileExists("ca-key.pem"))
        #expect(fileExists("records.sqlite"))
        #expect(try Binary.run(["recordings", "list", "one"], in: folder).status == 0)
        #expect(try Binary.run(["setup", "uninstall", "--yes"], in: folder).prose.contains("nothing to remove"))
    }

    @Test("--recordings also removes the store, and lists its content")
    func recordings() throws {
        try record()
        try folder.write("mine", to: "data/atsgate/notes.txt")
        let done = try Binary.run(["setup", "uninstall", "--yes", "--recordings"], in: folder)
        #expect(done.status == 0)
        #expect(done.output.contains("store   1 recording, 1 load, "))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("data/atsgate"))
        #expect(left == ["notes.txt"])
    }

    @Test("without a terminal it removes nothing, and ends with 64")
    func unasked() throws {
        try record()
        let outcome = try Binary.run(["setup", "uninstall", "--recordings"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains("--yes"))
        #expect(fileExists("ca-key.pem"))
        #expect(fileExists("records.sqlite"))
    }

    @Test(
        "on a terminal it asks, and removes only after a yes",
        arguments: [("n", true), ("", true), ("y", false), ("yes", false)])
    func asked(answer: String, stays: Bool) throws {
        try record()
        let outcome = try Terminal.run(["setup", "uninstall"], answering: answer, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("Remove this? [y/N] "))
        #expect(fileExists("ca-key.pem") == stays)
    }

    @Test("the CA and store of a running gate stay, even after a rotation; a killed gate's files can be removed")
    func runningGate() throws {
        let gate = try Launch(["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "off"], in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        _ = try Binary.run(["ca", "rotate"], in: folder)
        for options in [[], ["--recordings"]] {
            let outcome = try Binary.run(["setup", "uninstall", "--yes"] + options, in: folder)
            #expect(outcome.status == 69)
            #expect(outcome.prose.contains("is in use"))
        }
        #expect(fileExists("ca-key.pem"))
        #expect(fileExists("records.sqlite"))
        gate.send(SIGKILL)
        _ = gate.wait()
        #expect(try Binary.run(["setup", "uninstall", "--yes", "--recordings"], in: folder).status == 0)
        #expect(!fileExists("ca-key.pem"))
        #expect(!fileExists("records.sqlite"))
    }

    @Test("a gate with its own CA still protects the store")
    func otherAuthority() throws {
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "off", "--ca-dir", "."], in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        let outcome = try Binary.run(["setup", "uninstall", "--yes", "--recordings"], in: folder)
        #expect(outcome.status == 69)
        #expect(fileExists("records.sqlite"))
        #expect(gate.stop().status == 0)
    }
}
