import Dispatch
import Foundation
import Synchronization

/// Writes text for the user to a descriptor, on its own queue. A terminal or pipe without a reader delays neither
/// records nor the end of the process. Lines that do not fit the buffer are dropped, and their number is reported
/// later.
public final class ConsoleWriter: Sendable {
    /// The process's standard error. All code writes through this one instance, so that lines stay in order.
    public static let standardError = ConsoleWriter(descriptor: STDERR_FILENO)

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "atsgate.console")
    private let state = Mutex(State())

    private struct State {
        var waiting: [UInt8] = []
        /// Lines dropped because the buffer was full.
        var dropped = 0
        var isScheduled = false
        /// True if the last attempt wrote nothing. Further ones do not wait until one succeeds.
        var isStuck = false
        /// The status line, shown while nothing else waits; empty for none.
        var status: [UInt8] = []
        /// True if the status line is on the screen and must be erased before other output.
        var isStatusShown = false

        mutating func append(_ text: String) {
            takeStatusBack()
            waiting.append(contentsOf: text.utf8)
        }

        mutating func takeStatusBack() {
            if isStatusShown { waiting.append(contentsOf: eraseLine) }
            isStatusShown = false
        }

        mutating func showStatus() {
            guard waiting.isEmpty, !status.isEmpty, !isStatusShown else { return }
            waiting = status
            isStatusShown = true
        }
    }

    /// The result of an attempt to write.
    private enum Attempt {
        case wrote(Int)
        case notReady
        case gone
    }

    /// - Parameter descriptor: stays open. -1 and a closed descriptor discard all output.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Queues lines for writing. Never blocks; drops them if the buffer is full.
    ///
    /// - Parameter status: the new status line below them, for terminals only; nil to keep the current one.
    public func offer(_ text: String, status: String? = nil) {
        let isNew = state.withLock { state in
            if let status { state.status = Array(status.utf8) }
            guard state.waiting.count < waitingLimitBytes else {
                state.dropped += text.utf8.count { $0 == lineEnd }
                return false
            }
            state.append(text)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isNew { queue.async { self.work() } }
    }

    /// Writes all queued text, then `text`. Waits while there is a reader, and at most two seconds without one.
    public func write(_ text: String) {
        state.withLock { $0.append(text) }
        flush()
    }

    /// Writes all queued text, with the same waits as ``write(_:)``.
    public func flush() {
        _ = queue.sync { self.empty() }
    }

    /// Erases the status line and writes all queued text.
    public func endStatus() {
        state.withLock { state in
            state.status = []
            state.takeStatusBack()
        }
        flush()
    }

    private func work() {
        let isEmptied = empty()
        state.withLock { $0.isScheduled = !isEmptied }
        // Polls: only a blocked thread would notice that the reader continues.
        if !isEmptied { queue.asyncAfter(deadline: .now() + retryInterval) { self.work() } }
    }

    /// Writes until the buffer is empty. False if there is no reader.
    private func empty() -> Bool {
        while true {
            let (chunk, timeout) = state.withLock { state in
                if state.waiting.isEmpty, state.dropped > 0 {
                    state.waiting = Array("atsgate: dropped \(state.dropped) lines: output is too slow\n".utf8)
                    state.dropped = 0
                }
                state.showStatus()
                return (nextChunk(of: state.waiting), state.isStuck ? 0 : patienceMilliseconds)
            }
            guard !chunk.isEmpty else { return true }
            let attempt = write(chunk, timeout: timeout)
            let goesOn = state.withLock { state in
                switch attempt {
                case .wrote(let count):
                    state.isStuck = false
                    state.waiting.removeFirst(min(count, state.waiting.count))
                    return true
                case .notReady:
                    state.isStuck = true
                    return false
                case .gone:
                    state.waiting = []
                    state.dropped = 0
                    return true
                }
            }
            guard goesOn else { return false }
        }
    }

    /// At most PIPE_BUF bytes, which a writable pipe accepts without blocking (write(2), pipe(7)). Whole lines if
    /// possible, so that lines of several writers do not mix.
    private func nextChunk(of waiting: [UInt8]) -> [UInt8] {
        guard waiting.count > Int(PIPE_BUF) else { return waiting }
        let chunk = waiting[..<Int(PIPE_BUF)]
        return Array(chunk[...(chunk.lastIndex(of: lineEnd) ?? chunk.endIndex - 1)])
    }

    private func write(_ chunk: [UInt8], timeout: Int32) -> Attempt {
        guard descriptor >= 0 else { return .gone }
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, timeout) > 0 else { return .notReady }
        let count = chunk.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { return .wrote(count) }
        return errno == EAGAIN || errno == EINTR ? .notReady : .gone
    }
}

/// Some thousand lines.
private let waitingLimitBytes = 262_144
private let patienceMilliseconds: Int32 = 2000
private let retryInterval = DispatchTimeInterval.milliseconds(500)
private let lineEnd = UInt8(ascii: "\n")
/// Returns to the first column and erases to the end of the line: ECMA-48 sections 8.3.15 (CR) and 8.3.41 (EL).
private let eraseLine: [UInt8] = Array("\r\u{1B}[K".utf8)
