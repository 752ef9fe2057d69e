import Dispatch
import Foundation
import Synchronization

/// Writes prose to a descriptor from a queue of its own, so that a terminal or pipe that nobody reads delays no record
/// and no end. What it cannot keep is dropped, and told once there is room again.
public final class ConsoleWriter: Sendable {
    /// The process's own. Whoever writes there goes through this one, so that lines keep their order.
    public static let standardError = ConsoleWriter(descriptor: STDERR_FILENO)

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "atsgate.console")
    private let state = Mutex(State())

    private struct State {
        var waiting: [UInt8] = []
        /// Lines that came while too much waited.
        var dropped = 0
        var isScheduled = false
        /// The last attempt got nothing out; the next ones do not wait until one does.
        var isStuck = false
        /// What the last line of a terminal says while nothing else is to be written; empty for none.
        var status: [UInt8] = []
        /// It was given out, so that it has to be taken back before anything else.
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

    /// How an attempt to write ended.
    private enum Attempt {
        case wrote(Int)
        case notReady
        case gone
    }

    /// - Parameter descriptor: stays open. -1 and a descriptor that is closed swallow everything.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Takes lines to write when there is time. Never waits; drops them when too much waits already.
    ///
    /// - Parameter status: what the line below them says from now on; nil leaves it as it is. For terminals only.
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

    /// Writes all that waits, then `text`. Waits as long as somebody reads, and two seconds where nobody does.
    public func write(_ text: String) {
        state.withLock { $0.append(text) }
        flush()
    }

    /// Writes all that waits, as ``write(_:)`` does.
    public func flush() {
        _ = queue.sync { self.empty() }
    }

    /// Takes the status line away, and writes all that waits.
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
        // Nothing tells when somebody reads again without a thread that waits for it.
        if !isEmptied { queue.asyncAfter(deadline: .now() + retryInterval) { self.work() } }
    }

    /// False when nobody reads.
    private func empty() -> Bool {
        while true {
            let (chunk, patience) = state.withLock { state in
                if state.waiting.isEmpty, state.dropped > 0 {
                    state.waiting = Array("atsgate: \(state.dropped) lines were not shown: nobody read them\n".utf8)
                    state.dropped = 0
                }
                state.showStatus()
                return (nextChunk(of: state.waiting), state.isStuck ? 0 : patienceMilliseconds)
            }
            guard !chunk.isEmpty else { return true }
            let attempt = write(chunk, patience: patience)
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

    /// At most as much as a pipe takes without blocking once it is writable (write(2), pipe(7): PIPE_BUF), and whole
    /// lines where that goes, so that lines of several writers do not mix.
    private func nextChunk(of waiting: [UInt8]) -> [UInt8] {
        guard waiting.count > Int(PIPE_BUF) else { return waiting }
        let chunk = waiting[..<Int(PIPE_BUF)]
        return Array(chunk[...(chunk.lastIndex(of: lineEnd) ?? chunk.endIndex - 1)])
    }

    private func write(_ chunk: [UInt8], patience: Int32) -> Attempt {
        guard descriptor >= 0 else { return .gone }
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, patience) > 0 else { return .notReady }
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
/// Back to the first column, and erase to the end of the line: ECMA-48 sections 8.3.15 (CR) and 8.3.41 (EL).
private let eraseLine: [UInt8] = Array("\r\u{1B}[K".utf8)
