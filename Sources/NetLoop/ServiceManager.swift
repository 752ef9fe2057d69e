import CPoll
import Foundation
import Synchronization
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

/// Listening sockets that a service manager opened before it started the program (socket activation). They keep
/// listening while the program is not running. Each is used instead of opening a socket at the same address.
///
/// Source: sd_listen_fds(3): LISTEN_FDS descriptors, starting at 3, for the process LISTEN_PID, with names in
/// LISTEN_FDNAMES, separated by colons.
public final class InheritedSockets: Sendable {
    private struct Entry {
        let socket: ListeningSocket
        let local: SocketAddress
        let name: String
    }

    /// An inherited descriptor of any kind; closed when released.
    private struct Found {
        let descriptor: Int32
        /// 0, or a negative errno: the reason why it cannot accept clients.
        let answer: Int32
        /// nil if the descriptor is not open. It must not be closed later, when it may be another file.
        let socket: ListeningSocket?

        init(descriptor: Int32) {
            self.descriptor = descriptor
            answer = cpoll_check_listener(descriptor)
            socket = answer == -EBADF ? nil : ListeningSocket(descriptor, isHanded: true)
            if socket != nil { _ = cpoll_prepare(descriptor) }
        }
    }

    private let waiting: Mutex<[Entry]>

    /// No inherited sockets.
    public static let none = InheritedSockets()

    private init() { waiting = Mutex([]) }

    /// Takes ownership of the sockets: each closes with this object, or with its new owner. Call once.
    ///
    /// - Parameters:
    ///   - environment: of this process; there are no sockets without the two variables, or if they are for another
    ///     process.
    ///   - first: the number of the first descriptor; other than 3 only in tests.
    /// - Throws: ``InheritedSocketError`` if a socket cannot accept clients, or listens at the same address as another;
    ///   all are closed then.
    public init(in environment: [String: String], process: Int32, first: Int32 = 3) throws(InheritedSocketError) {
        let numbers = first..<(first + (try Self.count(in: environment, for: process)))
        let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        // All descriptors are adopted before any is checked: after an error none stays open or leaks into child
        // programs.
        waiting = Mutex(try Self.entries(numbers.map { Found(descriptor: $0) }, named: names))
    }

    /// Takes ownership of sockets that another process passed to this one.
    ///
    /// - Throws: ``InheritedSocketError``, as for those of a service manager.
    public init(adopting descriptors: [Int32]) throws(InheritedSocketError) {
        waiting = Mutex(try Self.entries(descriptors.map { Found(descriptor: $0) }))
    }

    private static func entries(
        _ found: [Found], named names: [Substring] = []
    ) throws(InheritedSocketError) -> [Entry] {
        var handed: [Entry] = []
        for one in found {
            guard one.answer == 0, let socket = one.socket, let local = SocketAddress(localOf: one.descriptor) else {
                throw .notUsable(descriptor: one.descriptor, errno: -one.answer)
            }
            // Only the first socket of an address would be used; no client of the second would be accepted.
            guard !handed.contains(where: { $0.local == local }) else {
                throw .sameAddress(descriptor: one.descriptor, address: local.description)
            }
            // The name that sd_listen_fds_with_names(3) gives to unnamed sockets.
            let name = handed.count < names.count ? String(names[handed.count]) : "unknown"
            handed.append(Entry(socket: socket, local: local, name: name))
        }
        return handed
    }

    private static func count(
        in environment: [String: String], for process: Int32
    ) throws(InheritedSocketError) -> Int32 {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process, let text = environment["LISTEN_FDS"] else {
            return 0
        }
        guard let count = Int32(text), (0...most).contains(count) else { throw .noNumber(text) }
        return count
    }

    /// The addresses of the unused sockets: "127.0.0.1:9802" or "[::1]:9802".
    public var addresses: [String] { waiting.withLock { $0.map(\.local.description) } }

    /// The hosts and ports of the unused sockets.
    public var endpoints: [(host: String, port: Int)] {
        waiting.withLock { $0.map { ($0.local.address.description, Int($0.local.port)) } }
    }

    /// The names of the unused sockets, in the same order.
    public var names: [String] { waiting.withLock { $0.map(\.name) } }

    /// The hosts and ports of the unused sockets with this name.
    public func endpoints(named name: String) -> [(host: String, port: Int)] {
        zip(names, endpoints).filter { $0.0 == name }.map(\.1)
    }

    /// Returns a host and port in the format of ``addresses``; nil if it is not an address.
    ///
    /// - Parameter host: an IP literal, or "localhost", which is 127.0.0.1.
    public static func address(host: String, port: Int) -> String? {
        SocketAddress(host: host, port: port)?.description
    }

    /// Removes and returns the socket at this address; nil if there is none.
    func take(at address: SocketAddress) -> ListeningSocket? {
        waiting.withLock { waiting in
            guard let index = waiting.firstIndex(where: { $0.local == address }) else { return nil }
            return waiting.remove(at: index).socket
        }
    }

    /// More sockets than anyone uses; a larger LISTEN_FDS is an error.
    private static let most: Int32 = 1_000
}

/// The reason why inherited sockets cannot be used.
public enum InheritedSocketError: Error, Hashable, Sendable {
    case noNumber(String)
    case notUsable(descriptor: Int32, errno: Int32)
    /// The socket listens at the same address as an earlier one.
    case sameAddress(descriptor: Int32, address: String)
}

extension InheritedSocketError: CustomStringConvertible {
    /// The problem, without a full stop.
    public var description: String {
        switch self {
        case .noNumber(let text): "LISTEN_FDS=\(text.printable) is not a number from 0 to 1000"
        case .notUsable(let descriptor, let code):
            "inherited descriptor \(descriptor) \(Self.reason(code))"
        case .sameAddress(let descriptor, let address):
            "inherited descriptor \(descriptor) listens at \(address) like an earlier one: "
                + "use each ListenStream= once in the socket unit"
        }
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case EINVAL: "does not listen for TCP connections: the socket unit needs ListenStream= and Accept=no"
        case EAFNOSUPPORT: "is neither an IPv4 nor an IPv6 socket"
        case EADDRNOTAVAIL:
            "accepts IPv4 clients at an IPv6 address: the socket unit needs BindIPv6Only=ipv6-only, "
                + "and a separate ListenStream= for IPv4"
        default: "cannot be used: \(SystemWords.error(code))"
        }
    }
}
