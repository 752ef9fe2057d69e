internal import Foundation

/// Commands of this machine, found in PATH.
public struct SystemCommands: CommandRunner {
    public init() {}

    public func run(_ command: [String], input: String) -> CommandOutcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let given = Pipe()
        // Into the pipe before anybody reads: a program that is not there would end us with SIGPIPE.
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
        // What these commands complain of fits in a pipe, so that one may be read after the other.
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complained = complaint.fileHandleForReading.readDataToEndOfFile()
        return CommandOutcome(
            status: Self.status(of: process), output: String(decoding: said, as: UTF8.self),
            complaint: String(decoding: complained, as: UTF8.self))
    }

    /// Once it has ended itself: Foundation of Swift 6.3 on Linux waits, too, for what it leaves running and what has
    /// inherited a socket of Foundation's own, as wireguard-go does.
    private static func status(of process: Process) -> Int32 {
        #if os(Linux)
        var end = siginfo_t()
        let id = id_t(process.processIdentifier)
        // Reaped by Foundation, and only looked at here.
        if waitid(P_PID, id, &end, WEXITED | WNOWAIT) == 0 { return end._sifields._sigchld.si_status }
        #endif
        process.waitUntilExit()
        return process.terminationStatus
    }
}
