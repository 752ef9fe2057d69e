import Foundation
public import TestSupport

/// The reason why a test could not make its observation.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// A running command with its output. It is killed when this object is released.
public final class Program {
    private let process = Process()
    private let output: URL
    private let prose: URL
    /// Kept open, because some commands end with their standard input.
    private let input = Pipe()

    public var identifier: Int32 { process.processIdentifier }

    /// Starts a built command of this package.
    public convenience init(_ command: String, _ arguments: [String], in folder: Folder) throws {
        try self.init(path: Self.path(of: command), arguments, in: folder)
    }

    /// Writes output to files, so that the command never blocks on a full pipe.
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

    /// The path of a built command. For `atsgate` it is PEERS_GATE if set, which `.ci/run` uses to test release builds.
    /// Else it is next to the test bundle, where the package manager puts both.
    public static func path(of command: String) -> String {
        if command == "atsgate", let given = ProcessInfo.processInfo.environment["PEERS_GATE"] { return given }
        let bundle = candidates.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
        let isBundle = bundle.bundlePath.hasSuffix(".xctest")
        let beside = isBundle ? bundle.bundleURL.deletingLastPathComponent() : bundle.bundleURL
        return beside.appending(path: command).path
    }

    /// On macOS a tool of the toolchain loads the test bundle, so it may be missing in `allBundles`.
    private static var candidates: [Bundle] {
        #if canImport(Darwin)
        [Bundle(for: Program.self)] + Bundle.allBundles
        #else
        Bundle.allBundles
        #endif
    }

    /// The standard error so far.
    public var said: String { (try? String(contentsOf: prose, encoding: .utf8)) ?? "" }

    /// The standard output so far.
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

    /// Sends SIGTERM and waits.
    @discardableResult
    public func stop() -> Int32 {
        send(SIGTERM)
        return wait()
    }

    /// Waits until `condition` holds.
    ///
    /// - Throws: ``TestFailure`` if the deadline passes or the command ends first.
    public func wait(for words: String, until condition: () throws -> Bool) throws {
        guard try !holds(within: Self.deadlineSeconds, while: { process.isRunning }, condition) else { return }
        throw TestFailure(description: "timeout waiting for \(words); standard error: \(said.suffix(2_000))")
    }

    private static let deadlineSeconds = 60.0
}

/// Polls until `condition` holds.
///
/// - Parameter isPossible: False if the condition can no longer become true. It is then checked a last time.
/// - Returns: False if it does not hold within the given seconds.
public func holds(
    within seconds: Double, while isPossible: () -> Bool = { true }, _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while try !condition() {
        guard isPossible(), Date() < deadline else { return try condition() }
        // No event reports a write of another process to a file, a store, or a pipe with another reader.
        usleep(10_000)
    }
    return true
}

/// Runs `work` on a separate thread. The shared threads are as few as the cores and must not be blocked.
public func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
