import Foundation
import Processes
import TestSupport
import Testing

@Suite("the first minute", .timeLimit(.minutes(5)))
struct DemoTests {
    private let folder: TestSupport.Folder

    init() throws { folder = try TestSupport.Folder() }

    /// Runs the command of the arguments with a terminal for all its streams. The terminal hangs up when this ends.
    /// Child processes of Foundation start with a mask that blocks all signals.
    private static let onTerminal = """
        import os, pty, signal, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
        """

    private func onTerminal(_ arguments: [String]) throws -> Program {
        let words = ["python3", "-c", Self.onTerminal, Binary.path] + arguments
        return try Program(path: "/usr/bin/env", words, in: folder)
    }

    @Test("demo sends a dozen loads of each kind, prints the report, and leaves no files")
    func demo() throws {
        let program = try Program(
            path: "/usr/bin/env", ["TMPDIR=\(folder.url.path)", "HOME=\(folder.path("home"))", Binary.path, "demo"],
            in: folder)
        #expect(program.wait() == 0, "\(program.said)")
        #expect(
            program.written.contains("  loads       228: 36 allowed, 168 blocked, 24 failed (24 on a device, too)\n"))
        #expect(program.written.contains("rsa-kx.lab.test  ats.forward-secrecy"))
        #expect(program.written.contains("http://legacy.lab.test/"))
        #expect(!program.written.contains("client.foreign-hello"), "the demo replaces an app")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left.filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") } == [])
    }

    @Test("on a terminal the gate, origins and page of the demo run until they are stopped")
    func stays() throws {
        let program = try onTerminal(["demo"])
        try program.wait(for: "what to try next") { program.written.contains("run until you press Control-C") }
        let page = try #require(program.written.firstMatch(of: /http:\/\/[0-9.]+:[0-9]+\/\?token=[\w-]+/)).output
        let gate = try #require(program.written.firstMatch(of: /-x (http:\/\/[0-9.]+:[0-9]+)\s/)).output.1
        let quiet = ["curl", "-sf", "-o", folder.path("page")]
        #expect(try Binary.tool(quiet + ["-L", "-c", folder.path("jar"), String(page)]) == 0)
        #expect(folder.read("page").contains("<html"))
        // 22: a status of 400 or more, here the 403 for a blocked load.
        #expect(try Binary.tool(quiet + ["-x", String(gate), "http://cleartext.lab.test/"]) == 22)
        #expect(try Binary.tool(quiet + ["-x", String(gate), "http://legacy.lab.test/"]) == 0)
        program.stop()
        // 7: the connection is refused.
        #expect(holds(within: 30) { (try? Binary.tool(quiet + ["-x", String(gate), "http://legacy.lab.test/"])) == 7 })
    }

    @Test("atsgate without arguments shows how to begin, starts nothing, and ends with 64", arguments: [true, false])
    func bare(hasTerminal: Bool) throws {
        let program =
            try hasTerminal ? onTerminal([]) : Program(path: "/bin/sh", ["-c", "'\(Binary.path)' 2>&1"], in: folder)
        #expect(program.wait() == 64)
        for command in ["atsgate demo", "atsgate proxy --policy MyApp.app", "atsgate run --policy Info.plist -- curl"] {
            #expect(program.written.contains(command))
        }
    }
}
