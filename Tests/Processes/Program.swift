public import Foundation

/// What kept a test from seeing what it wanted to see.
public struct Trouble: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// A command that runs, with what it has said. Killed when dropped.
public final class Program {
    private let process = Process()
    private let output: URL
    private let prose: URL
    /// Kept open: some commands end with their standard input.
    private let input = Pipe()

    public var identifier: Int32 { process.processIdentifier }

    /// Starts a built command of this package.
    public convenience init(_ command: String, _ arguments: [String], in folder: Folder) throws {
        try self.init(path: Self.path(of: command), arguments, in: folder)
    }

    /// Output goes to files, so that nobody has to read in time.
    public init(path: String, _ arguments: [String], in folder: Folder) throws {
        let name = UUID().uuidString
        output = folder.url.appending(path: name + ".out")
        prose = folder.url.appending(path: name + ".err")
        for file in [output, prose] { try Data().write(to: file) }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: prose)
        try process.begin()
    }

    deinit {
        if process.isRunning { send(SIGKILL) }
    }

    /// Of `atsgate`, what PEERS_GATE names: `.ci/run` has what is handed out tested. Else beside the test bundle, where
    /// the package manager puts both.
    public static func path(of command: String) -> String {
        if command == "atsgate", let given = ProcessInfo.processInfo.environment["PEERS_GATE"] { return given }
        let bundle = candidates.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
        let isBundle = bundle.bundlePath.hasSuffix(".xctest")
        let beside = isBundle ? bundle.bundleURL.deletingLastPathComponent() : bundle.bundleURL
        return beside.appending(path: command).path
    }

    /// On macOS a helper of the toolchain loads the test bundle, which does not make it one of all bundles for sure.
    private static var candidates: [Bundle] {
        #if canImport(Darwin)
        [Bundle(for: Program.self)] + Bundle.allBundles
        #else
        Bundle.allBundles
        #endif
    }

    /// What it has said on standard error until now.
    public var said: String { (try? String(contentsOf: prose, encoding: .utf8)) ?? "" }

    /// What it has written to standard output until now.
    public var written: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    public func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Waits for its end.
    @discardableResult
    public func wait() -> Int32 {
        process.waitForEnd()
        return process.terminationStatus
    }

    /// Asks it to end, and waits.
    @discardableResult
    public func stop() -> Int32 {
        send(SIGTERM)
        return wait()
    }

    /// Waits until `condition` holds.
    ///
    /// - Throws: ``Trouble`` when the deadline passes before, or the command ends.
    public func wait(for words: String, until condition: () throws -> Bool) throws {
        guard try !holds(within: Self.deadlineSeconds, while: { process.isRunning }, condition) else { return }
        throw Trouble(description: "no \(words) after all; said: \(said.suffix(2_000))")
    }

    private static let deadlineSeconds = 60.0
}

/// Looks again and again until `condition` holds.
///
/// - Parameter isPossible: whether it may still come to hold; once it may not, there is one last look.
/// - Returns: false when it does not hold within so many seconds.
public func holds(
    within seconds: Double, while isPossible: () -> Bool = { true }, _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while try !condition() {
        guard isPossible(), Date() < deadline else { return try condition() }
        // No event tells of what another process writes to a file, a store or a pipe that somebody else reads.
        usleep(10_000)
    }
    return true
}

/// A folder for one test, gone with it.
public final class Folder {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "atsgate-processes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }

    /// The content of a file; empty when there is none.
    public func read(_ name: String) -> String {
        (try? String(contentsOf: url.appending(path: name), encoding: .utf8)) ?? ""
    }
}

/// Runs `work` on a thread of its own: those that tests share are as few as cores, and must not be blocked.
public func aside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
