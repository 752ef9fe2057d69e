import Agents
import Dispatch
import Foundation
import Synchronization

/// A command of this program that runs for a tool, in a separate process so that it can be stopped.
final class ToolProcess: Sendable {
    private enum State {
        case ready
        case running(ChildProcess)
        /// It has ended, or must not start.
        case over
    }

    /// The limits of one call.
    struct Limits: Sendable {
        var outputBytes = 4 << 20
        var messageBytes = 64 << 10
        var duration = Duration.seconds(600)

        fileprivate var milliseconds: Int {
            let (seconds, attoseconds) = duration.components
            return Int(min(seconds, 1_000_000)) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        }
    }

    /// Held while a pipe is made or a process starts: otherwise a process could inherit another one's pipe before that
    /// is marked, and keep it open.
    private static let spawning = Mutex(())

    private let words: [String]
    private let limits: Limits
    private let state = Mutex(State.ready)

    init(_ words: [String], limits: Limits) {
        self.words = words
        self.limits = limits
    }

    /// Stops the process, at first with SIGTERM.
    func stop() {
        send(SIGTERM)
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) { self.send(SIGKILL) }
    }

    private func send(_ signal: Int32) {
        state.withLock { state in
            switch state {
            case .ready: state = .over
            case .running(let process): kill(process.processID, signal)
            case .over: break
            }
        }
    }

    /// Runs the command to its end. Blocks.
    ///
    /// - Parameter progress: receives the number of lines that were written so far.
    func run(progress: (Int) -> Void) -> ToolAnswer {
        let pipes = Self.spawning.withLock { _ in (ToolPipe(), ToolPipe()) }
        guard let output = pipes.0, let complaint = pipes.1 else {
            return ToolAnswer(exitCode: nil, meaning: "no file descriptor is free", isError: true)
        }
        do throws(ChildProcess.SpawnFailure) {
            guard try start(writingTo: output, complaint) else {
                return ToolAnswer(exitCode: nil, meaning: "stopped", isError: true)
            }
        } catch {
            return ToolAnswer(exitCode: nil, meaning: error.sentence, isError: true)
        }
        let timer = DispatchWorkItem { self.stop() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(limits.milliseconds), execute: timer)
        let messages = ToolMessages(limit: limits.messageBytes)
        let drained = DispatchGroup()
        // The process must not wait for a reader of its messages.
        DispatchQueue.global().async(group: drained) {
            while let bytes = complaint.read() { messages.add(bytes) }
        }
        let written = read(output, progress)
        let status = end()
        drained.wait()
        timer.cancel()
        return answer(status, written, messages.text)
    }

    /// - Returns: False if it was stopped before.
    private func start(writingTo output: ToolPipe, _ complaint: ToolPipe) throws(ChildProcess.SpawnFailure) -> Bool {
        let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer {
            close(nothing)
            output.closeWriting()
            complaint.closeWriting()
        }
        return try state.withLock { state throws(ChildProcess.SpawnFailure) in
            guard case .ready = state else { return false }
            state = .running(
                try Self.spawning.withLock { _ throws(ChildProcess.SpawnFailure) in
                    try ChildProcess(
                        [path] + words, environment: ProcessInfo.processInfo.environment,
                        streams: [nothing, output.writing, complaint.writing])
                })
            return true
        }
    }

    /// - Returns: nil if the output is above the limit; the process is then stopped.
    private func read(_ output: ToolPipe, _ progress: (Int) -> Void) -> [UInt8]? {
        var written: [UInt8] = []
        var lines = 0
        while let bytes = output.read() {
            guard written.count + bytes.count <= limits.outputBytes else {
                stop()
                while output.read() != nil {}
                return nil
            }
            written += bytes
            let ended = bytes.count { $0 == UInt8(ascii: "\n") }
            lines += ended
            if ended > 0 { progress(lines) }
        }
        return written
    }

    private func end() -> Int32 {
        guard case .running(let process) = state.withLock({ $0 }) else { return CommandFailure.internalExitCode }
        // A signal must not reach another process that gets the same number: it is only reaped with the lock.
        var facts = siginfo_t()
        while waitid(P_PID, id_t(process.processID), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return state.withLock { state in
            state = .over
            return process.wait()
        }
    }

    private func answer(_ status: Int32, _ written: [UInt8]?, _ messages: String) -> ToolAnswer {
        let lines = messages.split(separator: "\n").map(String.init)
        guard let written else {
            return ToolAnswer(
                exitCode: nil,
                meaning: "the output is longer than \(limits.outputBytes) bytes; use a condition, such as "
                    + "host or rule", messages: lines, isError: true)
        }
        guard status <= 128 else {
            return ToolAnswer(
                exitCode: nil, meaning: "the command was stopped, or took longer than \(limits.duration)",
                messages: lines, isError: true)
        }
        return ToolAnswer(
            exitCode: status, meaning: Self.meaning(of: status), output: Self.values(in: written), messages: lines,
            isError: status == CommandFailure.internalExitCode && written.isEmpty || status >= 64)
    }

    /// The JSON texts of an output: one document, or one for each line. Other text is a string.
    private static func values(in written: [UInt8]) -> [RPCValue] {
        if let document = RPCValue(json: written) { return [document] }
        let lines = written.split(separator: UInt8(ascii: "\n"))
        let values = lines.compactMap { RPCValue(json: Array($0)) }
        return values.count == lines.count ? values : [.text(String(decoding: written, as: UTF8.self))]
    }

    /// Source: docs/exit-codes.md.
    private static func meaning(of code: Int32) -> String {
        switch code {
        case 0: "clean"
        case 1: "blocked loads, findings, or a failed check"
        case 2: "a server was not reached or not judged, or atsgate itself failed"
        case 3: "nothing was judged"
        case 64: "wrong arguments"
        case CommandFailure.badInputExitCode: "an input that is missing or bad"
        case CommandFailure.unavailableExitCode: "a server or the system is not available"
        case 74: "an output could not be written"
        default: "exit code \(code)"
        }
    }
}

/// The first bytes that a process writes to standard error.
private final class ToolMessages: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func add(_ more: [UInt8]) {
        bytes.withLock { $0 += more.prefix(max(0, limit - $0.count)) }
    }

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}

/// A pipe from a child to this process.
private final class ToolPipe: Sendable {
    let writing: Int32
    private let reading: Int32
    private let isWritable = Mutex(true)

    /// nil if the process has no descriptor left. Not while another thread starts a process.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeWriting()
        close(reading)
    }

    func closeWriting() {
        isWritable.withLock { isWritable in
            if isWritable { close(writing) }
            isWritable = false
        }
    }

    /// The next bytes; nil at the end.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(reading, &buffer, buffer.count)
            if count > 0 { return Array(buffer.prefix(count)) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}
