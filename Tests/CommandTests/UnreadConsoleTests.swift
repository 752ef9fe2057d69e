import Foundation
import Processes
import Testing

@Suite("Standard error without a reader", .timeLimit(.minutes(5)))
struct UnreadConsoleTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("a gate whose standard error is a full pipe records every load and ends on a signal")
    func fullPipe() throws {
        let console = Pipe()
        let gate = Process()
        gate.executableURL = URL(fileURLWithPath: Binary.path)
        gate.arguments = [
            "proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--store", "s.sqlite", "--json", "loads.jsonl",
            "--drain", "1s", "--verbose",
        ]
        gate.currentDirectoryURL = folder.url
        gate.environment = ProcessInfo.processInfo.environment.merging(
            ["XDG_DATA_HOME": folder.path("data"), "HOME": folder.path("home")]) { $1 }
        gate.standardError = console
        try fill(console)
        try gate.run()
        let ended = DispatchSemaphore(value: 0)
        gate.terminationHandler = { _ in ended.signal() }
        defer { if gate.isRunning { kill(gate.processIdentifier, SIGKILL) } }
        try #require(holds(within: 120) { !folder.read("port").isEmpty })
        let port = folder.read("port").trimmingCharacters(in: .newlines)
        // ATS denies cleartext, so nothing is dialed; each load has several lines on the console.
        let url = "http://denied.example/[1-\(loads)]"
        #expect(
            try Binary.tool(["curl", "-s", "-x", "http://127.0.0.1:\(port)", "--noproxy", "", "-o", "/dev/null", url])
                == 0)
        #expect(holds(within: 120) { folder.read("loads.jsonl").utf8.count { $0 == UInt8(ascii: "\n") } == loads })
        gate.terminate()
        #expect(ended.wait(timeout: .now() + 30) == .success, "the gate does not end while its pipe is full")
        #expect(gate.terminationStatus == 0)
        let report = try Binary.run(["report", "--store", "s.sqlite", "--format", "jsonl"], in: folder)
        #expect(report.output.utf8.count { $0 == UInt8(ascii: "\n") } == loads)
    }

    private let loads = 300

    /// Writes until the pipe is full, then restores its flags.
    private func fill(_ pipe: Pipe) throws {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        let bytes = [UInt8](repeating: UInt8(ascii: "."), count: 4096)
        while write(descriptor, bytes, bytes.count) > 0 {}
        _ = fcntl(descriptor, F_SETFL, flags)
    }
}
