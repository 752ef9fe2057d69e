import CPoll
import Synchronization
import Text

/// Listening sockets that a service manager opened before it started the program (socket activation): they go on
/// listening while the program is not there. Each takes the place of the one that would be opened at its address.
///
/// Source: sd_listen_fds(3): descriptors from 3 on, as many as LISTEN_FDS says, for the process LISTEN_PID, with the names in
/// LISTEN_FDNAMES, a colon between two of them.
public final class InheritedSockets: Sendable {
    private struct Entry {
        let socket: ListeningSocket
        let local: SocketAddress
        let name: String
    }

    /// What is behind a number, whatever that is; closed with this.
    private struct Found {
        let descriptor: Int32
        /// 0, or the negative errno that tells why clients cannot be accepted from it.
        let answer: Int32
        /// nil where nothing is open: by the time when that would be closed, it may be something else.
        let socket: ListeningSocket?

        init(descriptor: Int32) {
            self.descriptor = descriptor
            answer = cpoll_check_listener(descriptor)
            socket = answer == -EBADF ? nil : ListeningSocket(descriptor, isHanded: true)
            if socket != nil { _ = cpoll_prepare(descriptor) }
        }
    }

    private let waiting: Mutex<[Entry]>

    /// No socket was handed over.
    public static let none = InheritedSockets()

    private init() { waiting = Mutex([]) }

    /// Takes them over: they are closed with this, or with whoever has taken one. Call once.
    ///
    /// - Parameters:
    ///   - environment: of this process; without the two variables, or with those of another process, there are none.
    ///   - first: the number of the first descriptor, other than 3 for tests alone.
    /// - Throws: ``InheritedSocketError`` where one is not what the gate can accept clients from, or listens at the address
    ///   of another; all are closed then.
    public init(in environment: [String: String], process: Int32, first: Int32 = 3) throws(InheritedSocketError) {
        let numbers = first..<(first + (try Self.count(in: environment, for: process)))
        let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        // Whatever is wrong with one of them, none stays open, nor is handed on to a program that is started.
        waiting = Mutex(try Self.entries(numbers.map { Found(descriptor: $0) }, named: names))
    }

    /// Takes over sockets that this process got from another one.
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
            // Whoever asks for the address gets the first: nobody would accept clients from another.
            guard !handed.contains(where: { $0.local == local }) else {
                throw .sameAddress(descriptor: one.descriptor, address: local.description)
            }
            // As sd_listen_fds_with_names(3) calls those that got no name.
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

    /// Where those listen that nobody has taken: "127.0.0.1:9802" or "[::1]:9802".
    public var addresses: [String] { waiting.withLock { $0.map(\.local.description) } }

    /// The same as hosts and ports.
    public var places: [(host: String, port: Int)] {
        waiting.withLock { $0.map { ($0.local.address.description, Int($0.local.port)) } }
    }

    /// Their names, in their order.
    public var names: [String] { waiting.withLock { $0.map(\.name) } }

    /// Where those of this name listen, which may be several.
    public func places(named name: String) -> [(host: String, port: Int)] {
        zip(names, places).filter { $0.0 == name }.map(\.1)
    }

    /// How ``addresses`` names this one; nil for what is no address.
    ///
    /// - Parameter host: an IP literal, or "localhost", which is 127.0.0.1.
    public static func address(host: String, port: Int) -> String? {
        SocketAddress(host: host, port: port)?.description
    }

    /// Gives up the one at this address; nil where there is none.
    func take(at address: SocketAddress) -> ListeningSocket? {
        waiting.withLock { waiting in
            guard let index = waiting.firstIndex(where: { $0.local == address }) else { return nil }
            return waiting.remove(at: index).socket
        }
    }

    /// More than anybody listens on; the descriptors of a process begin at 0 and end somewhere.
    private static let most: Int32 = 1_000
}

/// Why what a service manager has handed over cannot be used.
public enum InheritedSocketError: Error, Hashable, Sendable {
    case noNumber(String)
    case notUsable(descriptor: Int32, errno: Int32)
    /// It listens where one before it does.
    case sameAddress(descriptor: Int32, address: String)
}

extension InheritedSocketError: CustomStringConvertible {
    /// What is wrong, without a full stop.
    public var description: String {
        switch self {
        case .noNumber(let text): "LISTEN_FDS=\(text.printable) is no number of sockets up to 1000"
        case .notUsable(let descriptor, let code):
            "descriptor \(descriptor), which was handed over as a socket, \(Self.reason(code))"
        case .sameAddress(let descriptor, let address):
            "descriptor \(descriptor), which was handed over as a socket, listens at \(address) like one before it: "
                + "the socket unit wants each ListenStream= once"
        }
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case EINVAL: "does not listen for TCP connections: the socket unit wants ListenStream= and Accept=no"
        case EAFNOSUPPORT: "is neither one of IPv4 nor of IPv6"
        case EADDRNOTAVAIL:
            "takes clients of IPv4 at an address of IPv6: the socket unit wants BindIPv6Only=ipv6-only, "
                + "and a ListenStream= of its own for IPv4"
        default: "cannot be used: \(SystemWords.error(code))"
        }
    }
}
