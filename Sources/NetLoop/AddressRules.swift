import CPoll
import Synchronization
public import Text

/// What a dial must not lead to, tested on each address after the name was looked up: a name that changes its address
/// between the question and the connection, or an odd way of writing one, gets nobody past it.
public struct AddressRules: Sendable {
    /// Where the gate itself listens: dialing that would lead every load round in circles.
    public struct OwnListener: Hashable, Sendable {
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    private let ownListeners: [OwnListener]
    private let sparesHost: Bool

    /// - Parameters:
    ///   - ownListeners: never dialed, whatever else is allowed.
    ///   - sparesHost: nor is the machine itself: loopback, addresses of its interfaces, unspecified and link-local ones,
    ///     and those of the metadata services of clouds.
    public init(ownListeners: [OwnListener] = [], sparesHost: Bool = false) {
        self.ownListeners = ownListeners
        self.sparesHost = sparesHost
    }

    /// Everything may be dialed.
    public static let none = AddressRules()

    /// Whether a connection that stands may be used: whoever dialed it may have been allowed to, and this client not.
    ///
    /// - Parameter place: where it leads; nil where that could not be read, which nothing but the lack of rules permits.
    public func permits(_ place: SocketAddress?) -> Bool {
        guard let place else { return ownListeners.isEmpty && !sparesHost }
        return verdict(on: place.address, port: place.port) == .fine
    }

    enum Verdict { case fine, own, forbidden }

    func verdict(on address: HostAddress, port: UInt16) -> Verdict {
        if ownListeners.isEmpty, !sparesHost { return .fine }
        let plain = address.ip.unmapped
        if ownListeners.contains(where: { $0.port == Int(port) && Self.reaches(plain, $0.host) }) { return .own }
        guard sparesHost else { return .fine }
        return plain.isSpecial || InterfaceAddresses.current().contains(plain) ? .forbidden : .fine
    }

    /// Whether a listener on `host` answers connections to `address`.
    private static func reaches(_ address: IPAddress, _ host: String) -> Bool {
        guard let listening = HostAddress(host == "localhost" ? "127.0.0.1" : host)?.ip.unmapped else { return false }
        if listening == address { return true }
        // Connecting to the unspecified address leads to loopback: Linux, ip(7), and BSD alike.
        if address.isUnspecified { return listening.isLoopback || listening.isUnspecified }
        return listening.isUnspecified && (address.isLoopback || InterfaceAddresses.current().contains(address))
    }
}

extension IPAddress {
    /// What is never a server on the network that a client may want: the machine itself, its link, and services that
    /// tell secrets to whoever is on it.
    fileprivate var isSpecial: Bool {
        isLoopback || isUnspecified || isLinkLocal || Self.metadataServices.contains(self)
    }

    /// Metadata services with addresses that are not link-local. Sources: Amazon EC2 User Guide, "Access instance
    /// metadata" (fd00:ec2::254); Google Compute Engine, "About VM metadata" (fd20:ce::254); Alibaba Cloud ECS, "View
    /// instance metadata" (100.100.100.200).
    private static let metadataServices = Set(
        ["fd00:ec2::254", "fd20:ce::254", "100.100.100.200"].compactMap { IPAddress($0) })
}

/// The addresses of this machine's interfaces, asked for at most once a second: they change with networks and tunnels.
public enum InterfaceAddresses {
    private struct Cache {
        var addresses = Set<IPAddress>()
        var until = Int64.min
    }

    private static let kept = Mutex(Cache())

    public static func current() -> Set<IPAddress> {
        let now = EventLoop.monotonicNanoseconds()
        return kept.withLock { kept in
            if kept.until <= now { kept = Cache(addresses: ask(), until: now + lifetime) }
            return kept.addresses
        }
    }

    private static func ask() -> Set<IPAddress> {
        var found = [cpoll_address](repeating: cpoll_address(), count: most)
        let count = cpoll_interface_addresses(&found, Int32(most))
        return Set(found.prefix(max(0, Int(count))).map { HostAddress($0).ip })
    }

    /// Nanoseconds.
    private static let lifetime: Int64 = 1_000_000_000
    private static let most = 512
}
