import Dispatch
import Foundation
import Synchronization

/// A command that is believed only where it ends in time, well, and with few words. It is not killed with certainty:
/// another user's is not ours to kill. So there is never a second one beside it.
package final class BoundedCommand: Sendable {
    private let words: [String]
    private let limitBytes: Int
    private let patience: Duration
    private let isRunning = Mutex(false)

    /// - Parameters:
    ///   - words: path of the program, then its arguments; never read by a shell.
    ///   - limitBytes: what it may print, its complaints among it.
    ///   - patience: from its start to its end.
    package init(_ words: [String], limitBytes: Int, patience: Duration) {
        self.words = words
        self.limitBytes = limitBytes
        self.patience = patience
    }

    /// Blocks until it has ended, or time is up. Not on a loop.
    ///
    /// - Returns: what it printed, complaints among it.
    package func run() -> Result<String, RedirectFailure> {
        let isFree = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFree else { return .failure(RedirectFailure("an earlier \(name) has not ended yet")) }
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
            return .failure(RedirectFailure("\(name) can not be run: \(error.localizedDescription)"))
        }
        let end = ContinuousClock.now + patience
        let bytes = read(said.fileHandleForReading.fileDescriptor, until: end)
        // Who still writes is told by SIGPIPE that nobody reads.
        try? said.fileHandleForReading.close()
        guard let bytes else {
            process.terminate()
            return .failure(RedirectFailure("\(name) said too much, or took longer than \(patience)"))
        }
        guard ended.wait(timeout: .now() + .milliseconds(Self.milliseconds(until: end))) == .success else {
            process.terminate()
            return .failure(RedirectFailure("\(name) took longer than \(patience)"))
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard process.terminationStatus == 0 else {
            let line = text.split(separator: "\n").first.map(String.init)
            return .failure(RedirectFailure(line ?? "\(name) ended with \(process.terminationStatus)"))
        }
        return .success(text)
    }

    private var name: String { words.joined(separator: " ") }

    /// - Returns: nil where more than the limit came, or no end in time.
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

    /// 0 when time is up.
    private static func milliseconds(until end: ContinuousClock.Instant) -> Int {
        max(0, Int((end - .now) / .milliseconds(1)))
    }
}
