import CPoll
import Synchronization
public import Text

/// The addresses that a dial must not connect to. Checked on each address after the name lookup, so that neither DNS
/// rebinding nor an odd spelling of an address evades the rules.
public struct AddressRules: Sendable {
    /// The addresses where the gate itself listens. Dialing them would send loads in circles.
    private let ownListeners: [Authority]
    private let forbidsThisMachine: Bool

    /// - Parameters:
    ///   - ownListeners: never dialed, regardless of other settings.
    ///   - forbidsThisMachine: also forbids the machine itself (loopback, interface, unspecified and link-local
    ///     addresses) and the metadata services of clouds.
    public init(ownListeners: [Authority] = [], forbidsThisMachine: Bool = false) {
        self.ownListeners = ownListeners
        self.forbidsThisMachine = forbidsThisMachine
    }

    /// Permits every address.
    public static let none = AddressRules()

    /// True if an existing connection may be used. Another client with other permissions may have dialed it.
    ///
    /// - Parameter place: the connection's remote address; nil if it could not be read, which is permitted only without
    ///   rules.
    public func permits(_ place: SocketAddress?) -> Bool {
        guard let place else { return ownListeners.isEmpty && !forbidsThisMachine }
        return verdict(on: place.address, port: place.port) == .fine
    }

    enum Verdict { case fine, own, forbidden }

    func verdict(on address: HostAddress, port: UInt16) -> Verdict {
        if ownListeners.isEmpty, !forbidsThisMachine { return .fine }
        let plain = address.ip.unmapped
        if ownListeners.contains(where: { $0.port == Int(port) && Self.reaches(plain, $0.host) }) { return .own }
        guard forbidsThisMachine else { return .fine }
        return plain.isSpecial || InterfaceAddresses.current().contains(plain) ? .forbidden : .fine
    }

    /// True if a listener on `host` answers connections to `address`.
    private static func reaches(_ address: IPAddress, _ host: String) -> Bool {
        guard let listening = HostAddress(host == "localhost" ? "127.0.0.1" : host)?.ip.unmapped else { return false }
        if listening == address { return true }
        // A connection to the unspecified address reaches loopback: Linux, ip(7), and BSD alike.
        if address.isUnspecified { return listening.isLoopback || listening.isUnspecified }
        return listening.isUnspecified && (address.isLoopback || InterfaceAddresses.current().contains(address))
    }
}

extension IPAddress {
    /// True for addresses that are never a server on the network: the machine itself, its link, and services that give
    /// credentials to any local client.
    fileprivate var isSpecial: Bool {
        isLoopback || isUnspecified || isLinkLocal || Self.metadataServices.contains(self)
    }

    /// Metadata services with addresses that are not link-local. Sources: Amazon EC2 User Guide, "Access instance
    /// metadata" (fd00:ec2::254); Google Compute Engine, "About VM metadata" (fd20:ce::254); Alibaba Cloud ECS, "View
    /// instance metadata" (100.100.100.200).
    private static let metadataServices = Set(
        ["fd00:ec2::254", "fd20:ce::254", "100.100.100.200"].compactMap { IPAddress($0) })
}

/// The addresses of this machine's interfaces, read at most once a second: they change with networks and tunnels.
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
