internal import Foundation

/// Commands of this machine, found in PATH.
public struct SystemCommands: CommandRunner {
    public init() {}

    public func run(_ command: [String], input: String) -> CommandOutcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let given = Pipe()
        // Written to the pipe before it has a reader: writing to a program that failed to start would raise SIGPIPE.
        try? given.fileHandleForWriting.write(contentsOf: Array(input.utf8))
        try? given.fileHandleForWriting.close()
        process.standardInput = given
        let (output, complaint) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaint
        do {
            try process.run()
        } catch {
            return CommandOutcome(status: 127, complaint: "\(error.localizedDescription)")
        }
        // The error text of these commands fits in a pipe, so the two can be read one after the other.
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complained = complaint.fileHandleForReading.readDataToEndOfFile()
        return CommandOutcome(
            status: Self.status(of: process), output: String(decoding: said, as: UTF8.self),
            complaint: String(decoding: complained, as: UTF8.self))
    }

    /// Waits for the process itself only. Foundation of Swift 6.3 on Linux also waits for processes that it leaves
    /// running and that inherited a socket of Foundation's own, as wireguard-go does.
    private static func status(of process: Process) -> Int32 {
        #if os(Linux)
        var end = siginfo_t()
        let id = id_t(process.processIdentifier)
        // Foundation reaps the process; this call only reads its status.
        if waitid(P_PID, id, &end, WEXITED | WNOWAIT) == 0 { return end._sifields._sigchld.si_status }
        #endif
        process.waitUntilExit()
        return process.terminationStatus
    }
}
