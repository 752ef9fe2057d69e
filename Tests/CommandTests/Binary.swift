import Foundation
import Processes

/// The built command, run as a user would run it.
enum Binary {
    /// The program.
    static var path: String { Program.path(of: "atsgate") }

    /// The result of a finished command.
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
    /// Runs another program of the system and returns its exit status.
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

/// A started command.
final class Launch {
    private let process = Process()
    private let output: URL
    private let prose: URL

    /// Writes output to files, not to pipes, so that the command never blocks on a full pipe.
    ///
    /// - Parameter limits: the most memory and processor time the command may use (setrlimit(2), RLIMIT_DATA and
    ///   RLIMIT_CPU). Beyond them allocations fail, and the process ends. macOS does not enforce RLIMIT_DATA.
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

    /// The standard error so far.
    var said: String { (try? String(contentsOf: prose, encoding: .utf8)) ?? "" }

    /// The standard output so far.
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

    /// Sends SIGTERM and waits.
    func stop() -> Binary.Outcome {
        send(SIGTERM)
        return wait()
    }

    /// Waits until `condition` holds. False if it does not within the deadline, or if the command ends first.
    func waits(until condition: () -> Bool) -> Bool {
        holds(within: 120, while: { process.isRunning }, condition)
    }
}

/// A folder for one test, deleted together with this object.
final class Folder {
    let url: URL

    init() throws {
        // Short, because the path of a socket in it has at most 103 bytes on macOS.
        let name = "atsgate-test-\(UUID().uuidString.prefix(13))"
        url = FileManager.default.temporaryDirectory.appending(path: name)
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

    /// The content of a file; empty if the file does not exist.
    func read(_ name: String) -> String { (try? String(contentsOf: url.appending(path: name), encoding: .utf8)) ?? "" }
}

extension Launch {
    /// A lab whose origins accept connections, with a `lab.conf` that points to them.
    static func lab(in folder: Folder) throws -> Launch {
        let lab = try Launch(["lab", "--write-config", "lab.conf"], in: folder)
        guard lab.waits(until: { !folder.read("lab.conf").isEmpty }) else {
            throw TestFailure(description: "no lab.conf; the lab printed: \(lab.said)")
        }
        return lab
    }
}
