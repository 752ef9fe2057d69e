import CPoll
import Foundation
import Text

/// The service manager that started the program and expects status messages, as systemd does for a service of
/// `Type=notify`.
///
/// Source: sd_notify(3): datagrams with lines NAME=VALUE to the socket named by NOTIFY_SOCKET.
public struct ServiceManager: Sendable {
    private let socket: String
    /// The longest time between two ``Notification/alive`` messages before the manager treats the program as dead; nil
    /// if it does not check.
    ///
    /// Source: sd_watchdog_enabled(3): WATCHDOG_USEC in microseconds, for the process WATCHDOG_PID if that is set.
    public let watchdogPeriod: Duration?

    /// - Parameters:
    ///   - environment: of this process.
    ///   - process: its number; nil for this one.
    /// - Returns: nil if no manager expects messages.
    public init?(in environment: [String: String], process: Int32? = nil) {
        guard let socket = environment["NOTIFY_SOCKET"], !socket.isEmpty else { return nil }
        self.socket = socket
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(process ?? getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogPeriod = isForUs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// A status message.
    public enum Notification: Sendable, Hashable {
        /// The program accepts clients. The text is shown as the service's status, in one line.
        case ready(String)
        /// The program accepts no more clients and ends the existing ones within that time. The manager does not kill
        /// it earlier.
        case stopping(within: Duration)
        /// The configuration is read again; ``ready(_:)`` must follow.
        case reloading
        /// The program is alive, see ``ServiceManager/watchdogPeriod``.
        case alive
    }

    /// Sends a status message.
    ///
    /// - Throws: ``NetError`` if no process listens at the socket, or it is not a socket.
    public func notify(_ news: Notification) throws(NetError) {
        let words =
            switch news {
            case .ready(let state): "READY=1\nSTATUS=\(state.printable)"
            case .stopping(let time): "STOPPING=1\nEXTEND_TIMEOUT_USEC=\(time.clampedNanoseconds / 1_000)"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
            case .alive: "WATCHDOG=1"
            }
        let answer = cpoll_tell(socket, words)
        guard answer < 0 else { return }
        throw .system(call: "notifying the service manager", errno: -answer)
    }

    private static var monotonicMicroseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    }
}
