import Foundation

/// The memory of another process, in KiB. Uses `/proc` if it exists, else ps(1).
public struct Memory {
    private let process: Int32

    public init(process: Int32) { self.process = process }

    /// The memory that the process has written to. Pages of files are not counted, because they are shared and are
    /// loaded when code first runs. If the system does not distinguish them, all resident memory.
    ///
    /// - Throws: ``TestFailure`` if the process has ended.
    public func own() throws -> Int {
        if let value = status("RssAnon") { return value }
        return try resident()
    }

    /// The resident memory.
    ///
    /// - Throws: ``TestFailure`` if the process has ended.
    public func resident() throws -> Int {
        if let value = status("VmRSS") { return value }
        let ps = Process()
        let output = Pipe()
        ps.executableURL = URL(fileURLWithPath: "/bin/ps")
        ps.arguments = ["-o", "rss=", "-p", "\(process)"]
        ps.standardOutput = output
        try ps.run()
        ps.waitForEnd()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard let value = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw TestFailure(description: "process \(process) has ended")
        }
        return value
    }

    /// The peak of resident memory while `work` runs.
    ///
    /// Uses the system's high-water mark if it has one, reset by writing 5 (proc(5), clear_refs), else samples.
    public func peak(while work: () throws -> Program) throws -> Int {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(process)/clear_refs"))
        let program = try work()
        var peak = 0
        try program.wait(for: "end of the body") {
            peak = max(peak, try resident())
            return !program.written.isEmpty
        }
        guard program.wait() == 0 else { throw TestFailure(description: "the program failed: \(program.written)") }
        return max(peak, status("VmHWM") ?? 0)
    }

    /// The growth of this process's peak memory during `work`.
    ///
    /// - Returns: KiB; nil if the system has no high-water mark that can be reset.
    public static func growth(during work: () throws -> Void) rethrows -> Int? {
        let memory = Memory(process: getpid())
        let isReset = (try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))) != nil
        let before = memory.status("VmHWM")
        try work()
        guard isReset, let before, let after = memory.status("VmHWM") else { return nil }
        return after - before
    }

    private func status(_ field: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
    }
}
