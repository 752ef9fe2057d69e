import CPoll
import Foundation
import Text

/// Who started the program and wants to hear how it fares, as systemd does for a service of `Type=notify`.
///
/// Source: sd_notify(3): datagrams of lines NAME=VALUE to the socket that NOTIFY_SOCKET names.
public struct ServiceManager: Sendable {
    private let socket: String
    /// It takes the program for dead that does not tell for so long that it is alive; nil where it does not wait for that.
    ///
    /// Source: sd_watchdog_enabled(3): WATCHDOG_USEC in microseconds, for the process of WATCHDOG_PID where that is set.
    public let watchdogPeriod: Duration?

    /// - Parameters:
    ///   - environment: of this process.
    ///   - process: its number; nil for this one.
    /// - Returns: nil where nobody wants to hear anything.
    public init?(in environment: [String: String], process: Int32? = nil) {
        guard let socket = environment["NOTIFY_SOCKET"], !socket.isEmpty else { return nil }
        self.socket = socket
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(process ?? getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogPeriod = isForUs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// What there is to tell.
    public enum Notification: Sendable, Hashable {
        /// Clients can come. The words are shown as the state of the service, in one line.
        case ready(String)
        /// No more clients are accepted, and those that are there come to their end, within that time: whoever would
        /// kill the program earlier waits for so long.
        case stopping(within: Duration)
        /// What was configured is read again; ``ready(_:)`` is to follow.
        case reloading
        /// For ``ServiceManager/watchdogPeriod``.
        case alive
    }

    /// - Throws: ``NetError`` where nobody listens at the socket, or it is none.
    public func tell(_ news: Notification) throws(NetError) {
        let words =
            switch news {
            case .ready(let state): "READY=1\nSTATUS=\(state.printable)"
            case .stopping(let time): "STOPPING=1\nEXTEND_TIMEOUT_USEC=\(time.clampedNanoseconds / 1_000)"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
            case .alive: "WATCHDOG=1"
            }
        let answer = cpoll_tell(socket, words)
        guard answer < 0 else { return }
        throw .system(call: "telling the service manager", errno: -answer)
    }

    private static var monotonicMicroseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    }
}
