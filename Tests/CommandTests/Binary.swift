import Foundation
import Processes

/// The built command, run as a user would run it.
enum Binary {
    /// The program.
    static var path: String { Program.path(of: "atsgate") }

    /// What a finished command left.
    struct Outcome {
        let status: Int32
        let output: String
        let prose: String
    }

    /// Runs to the end. The data directory is `folder`.
    static func run(
        _ arguments: [String], in folder: Folder, input: String = "", environment: [String: String] = [:]
    ) throws -> Outcome {
        let launch = try Launch(arguments, in: folder, input: input, environment: environment)
        return launch.wait()
    }
}

extension Binary {
    /// Runs another program of the system to its end, and gives its status.
    static func tool(_ words: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        try process.begin()
        process.waitForEnd()
        return process.terminationStatus
    }
}

/// A command that was started.
final class Launch {
    private let process = Process()
    private let output: URL
    private let prose: URL

    /// Output goes to files, not to pipes, so that nobody has to read in time.
    ///
    /// - Parameter limits: memory of its own that it may have at most, and more is refused to it, which macOS holds nobody to;
    ///   and time of a processor, which ends it (setrlimit(2), RLIMIT_DATA and RLIMIT_CPU).
    init(
        _ arguments: [String], in folder: Folder, input: String = "", environment more: [String: String] = [:],
        limits: (dataKiB: Int, processorSeconds: Int)? = nil
    ) throws {
        let name = UUID().uuidString
        output = folder.url.appending(path: name + ".out")
        prose = folder.url.appending(path: name + ".err")
        let given = folder.url.appending(path: name + ".in")
        try Data(input.utf8).write(to: given)
        for file in [output, prose] { try Data().write(to: file) }
        process.executableURL = URL(fileURLWithPath: limits == nil ? Binary.path : "/bin/sh")
        let limited = limits.map {
            ["-c", "ulimit -d \($0.dataKiB) && ulimit -t \($0.processorSeconds) && exec \"$0\" \"$@\"", Binary.path]
        }
        process.arguments = (limited ?? []) + arguments
        process.currentDirectoryURL = folder.url
        var environment = ProcessInfo.processInfo.environment
        environment["XDG_DATA_HOME"] = folder.path("data")
        environment["HOME"] = folder.path("home")
        environment.merge(more) { $1 }
        process.environment = environment
        process.standardInput = try FileHandle(forReadingFrom: given)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: prose)
        try process.begin()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// What it has said on standard error until now.
    var said: String { (try? String(contentsOf: prose, encoding: .utf8)) ?? "" }

    /// What it has written to standard output until now.
    var written: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    var processID: Int32 { process.processIdentifier }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    func wait() -> Binary.Outcome {
        process.waitForEnd()
        let byShell = process.terminationReason == .uncaughtSignal ? 128 : 0
        return Binary.Outcome(status: process.terminationStatus + Int32(byShell), output: written, prose: said)
    }

    /// Asks it to end, and waits.
    func stop() -> Binary.Outcome {
        send(SIGTERM)
        return wait()
    }

    /// Waits until `condition` holds. False when it does not within the deadline, or when the command has ended.
    func waits(until condition: () -> Bool) -> Bool {
        holds(within: 120, while: { process.isRunning }, condition)
    }
}

/// A folder for one test, gone with it.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "atsgate-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }

    /// The content of a file; empty when there is none.
    func read(_ name: String) -> String { (try? String(contentsOf: url.appending(path: name), encoding: .utf8)) ?? "" }
}

extension Launch {
    /// A lab whose origins take connections, and whose `lab.conf` leads to them.
    static func lab(in folder: Folder) throws -> Launch {
        let lab = try Launch(["lab", "--write-config", "lab.conf"], in: folder)
        guard lab.waits(until: { !folder.read("lab.conf").isEmpty }) else {
            throw Trouble(description: "no lab.conf; the lab said: \(lab.said)")
        }
        return lab
    }
}
