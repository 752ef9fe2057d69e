import Dispatch
import Foundation
import Synchronization

/// Runs a command; its output counts only if it exits 0 in time and within the size limit. Another user's process
/// cannot always be killed, so a second one is never started while the first still runs.
package final class BoundedCommand: Sendable {
    private let words: [String]
    private let limitBytes: Int
    private let timeout: Duration
    private let isRunning = Mutex(false)

    /// - Parameters:
    ///   - words: path of the program, then its arguments; no shell reads them.
    ///   - limitBytes: the maximum size of its output, including standard error.
    ///   - timeout: the maximum run time.
    package init(_ words: [String], limitBytes: Int, timeout: Duration) {
        self.words = words
        self.limitBytes = limitBytes
        self.timeout = timeout
    }

    /// Runs the command. Blocks until it has ended or timed out, so it must not run on a loop.
    ///
    /// - Returns: its output, including standard error.
    package func run() -> Result<String, RedirectFailure> {
        let isFree = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFree else { return .failure(RedirectFailure("an earlier \(name) is still running")) }
        let process = Process()
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        let said = Pipe()
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, said)
        process.standardError = said
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in
            self.isRunning.withLock { $0 = false }
            ended.signal()
        }
        do { try process.run() } catch {
            isRunning.withLock { $0 = false }
            return .failure(RedirectFailure("\(name) cannot be run: \(error.localizedDescription)"))
        }
        let end = ContinuousClock.now + timeout
        let bytes = read(said.fileHandleForReading.fileDescriptor, until: end)
        // A program that still writes gets SIGPIPE.
        try? said.fileHandleForReading.close()
        guard let bytes else {
            process.terminate()
            return .failure(RedirectFailure("\(name) printed too much, or took longer than \(timeout)"))
        }
        guard ended.wait(timeout: .now() + .milliseconds(Self.milliseconds(until: end))) == .success else {
            process.terminate()
            return .failure(RedirectFailure("\(name) took longer than \(timeout)"))
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard process.terminationStatus == 0 else {
            let line = text.split(separator: "\n").first.map(String.init)
            return .failure(RedirectFailure(line ?? "\(name) exited with \(process.terminationStatus)"))
        }
        return .success(text)
    }

    private var name: String { words.joined(separator: " ") }

    /// - Returns: nil if the output exceeds the limit or does not end in time.
    private func read(_ descriptor: Int32, until end: ContinuousClock.Instant) -> [UInt8]? {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limitBytes {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(Self.milliseconds(until: end)))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = Foundation.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += block[..<count]
        }
        return nil
    }

    /// 0 if the time is up.
    private static func milliseconds(until end: ContinuousClock.Instant) -> Int {
        max(0, Int((end - .now) / .milliseconds(1)))
    }
}
