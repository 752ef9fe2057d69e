import Foundation

/// Resident memory of another process, in KiB. Reads `/proc` where there is one, and asks ps(1) elsewhere.
public struct Memory {
    private let process: Int32

    public init(process: Int32) { self.process = process }

    /// What the process has written to, without pages of files, which it shares and which come in whenever code runs for
    /// the first time; all that is resident where the system does not tell them apart.
    ///
    /// - Throws: ``Trouble`` when the process has gone.
    public func own() throws -> Int {
        if let value = status("RssAnon") { return value }
        return try resident()
    }

    /// - Throws: ``Trouble`` when the process has gone.
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
            throw Trouble(description: "process \(process) has gone")
        }
        return value
    }

    /// The most that was resident while `work` ran.
    ///
    /// The system's own high-water mark where there is one, reset by writing 5 (proc(5), clear_refs); samples elsewhere.
    public func peak(while work: () throws -> Program) throws -> Int {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(process)/clear_refs"))
        let program = try work()
        var peak = 0
        try program.wait(for: "end of the body") {
            peak = max(peak, try resident())
            return !program.written.isEmpty
        }
        guard program.wait() == 0 else { throw Trouble(description: "it did not go through: \(program.written)") }
        return max(peak, status("VmHWM") ?? 0)
    }

    /// How much more than at its beginning was resident at the worst moment of `work`, in this process.
    ///
    /// - Returns: KiB; nil on systems that keep no high-water mark which can be reset.
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
