import Foundation
import Testing

/// Pipes given as files. No command waits for a writer.
@Suite("pipes given as files", .timeLimit(.minutes(10)))
struct PipeTests {
    /// Ends the command that follows after 20 seconds. timeout(1) is not part of macOS.
    private static let limited = ["perl", "-e", "alarm 20; exec @ARGV"]

    let folder: Folder
    let pipe: String

    init() throws {
        folder = try Folder()
        pipe = folder.path("pipe")
        try FileManager.default.createDirectory(atPath: folder.path("Trap.app"), withIntermediateDirectories: true)
        try #require(mkfifo(pipe, 0o600) == 0 && mkfifo(folder.path("Trap.app/Info.plist"), 0o600) == 0)
    }

    @Test(
        "each pipe is refused immediately",
        arguments: [
            ["explain", "--policy", "PIPE", "https://a.test/"], ["explain", "--policy", "APP", "https://a.test/"],
            ["lint", "PIPE"], ["lint", "APP"], ["report", "--store", "PIPE"],
            ["doctor", "--store", "PIPE"],
            ["run", "--config", "PIPE", "--", "true"], ["run", "--store", "PIPE", "--", "true"],
            ["run", "--roots", "PIPE", "--", "true"], ["run", "--ct-logs", "PIPE", "--", "true"],
            ["lint", "--baseline", "PIPE", "."], ["probe", "--input", "PIPE"],
        ])
    func refused(command: [String]) throws {
        let words = command.map { $0 == "PIPE" ? pipe : $0 == "APP" ? folder.path("Trap.app") : $0 }
        let status = try Binary.tool(Self.limited + [Binary.path] + words)
        #expect([64, 65, 74].contains(status), "\(status)")
    }

    @Test("the error for a trust file explains that it is a pipe", arguments: ["--roots", "--extra-ca", "--ct-logs"])
    func said(option: String) throws {
        let outcome = try Binary.run(["run", option, pipe, "--", "true"], in: folder)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("\(pipe) cannot be read: it is a pipe or a terminal, not a file"))
    }

    @Test("a descriptor passed by a shell is read")
    func descriptor() throws {
        let words = "exec '\(Binary.path)' explain --policy <(sleep 0.1; echo '{}') https://a.test/ >/dev/null"
        #expect(try Binary.tool(Self.limited + ["bash", "-c", words]) == 0)
    }
}
