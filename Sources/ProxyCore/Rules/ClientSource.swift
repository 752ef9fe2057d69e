public import ATSPolicy
import Text

/// The address of a client, and the settings of its listener.
public struct ClientSource: Sendable, Hashable {
    /// The client's `ADDRESS:PORT`, for records.
    public var address: String
    /// The listener's label, for records.
    public var label: String?
    /// The loader assumed for every load of this listener; overrides the gate's setting.
    public var assumedLoader: Loader?
    /// The handling of this listener's clients that ATS does not govern; overrides the gate's setting.
    public var outside: OutsideClients?
    /// The dictionary and release for this listener's clients; nil for those of the gate.
    public var law: ListenerPolicy?

    /// The way the client names its target.
    public var entrance: ClientEntrance

    public init(
        address: String, label: String? = nil, assumedLoader: Loader? = nil,
        outside: OutsideClients? = nil, law: ListenerPolicy? = nil, entrance: ClientEntrance = .proxy
    ) {
        self.address = address
        self.label = label
        self.assumedLoader = assumedLoader
        self.outside = outside
        self.law = law
        self.entrance = entrance
    }

    /// True if the client is on this machine. Most local addresses need no parser, because they start with 127.
    var isLoopback: Bool { address.hasPrefix("127.") || IPAddress(host)?.isLoopback == true }

    /// The address without the port, which differs for each connection of a client.
    var host: String { (try? Authority(address[...]))?.host ?? address }
}
