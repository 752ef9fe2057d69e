public import ATSPolicy
import Text

/// Where a client comes from, and what its listener says about it.
public struct ClientPlace: Sendable, Hashable {
    /// The client's `ADDRESS:PORT`, for records.
    public var address: String
    /// The listener's label, for records.
    public var label: String?
    /// What every load of this listener is taken for; stronger than the law's own.
    public var assumedLoader: Loader?
    /// What becomes of clients of this listener that ATS does not govern; stronger than the law's own.
    public var outside: OutsideClients?
    /// What its listener's clients are judged under; nil for what holds for the gate.
    public var law: ListenerLaw?

    /// How it says where to.
    public var entrance: ClientEntrance

    public init(
        address: String, label: String? = nil, assumedLoader: Loader? = nil,
        outside: OutsideClients? = nil, law: ListenerLaw? = nil, entrance: ClientEntrance = .proxy
    ) {
        self.address = address
        self.label = label
        self.assumedLoader = assumedLoader
        self.outside = outside
        self.law = law
        self.entrance = entrance
    }

    /// It is on this machine. Nearly all of those need no parser: the address is a number, not a name.
    var isLoopback: Bool { address.hasPrefix("127.") || IPAddress(host)?.isLoopback == true }

    /// Without the port, which changes with every connection of a client.
    var host: String { (try? Authority(address[...]))?.host ?? address }
}
