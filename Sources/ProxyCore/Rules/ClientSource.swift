public import ATSPolicy
public import Records
public import Text

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
    public var entrance: LoadEntrance
    /// The original address of a redirected connection; nil for clients of a proxy.
    public var original: OriginalDestination?

    public init(
        address: String, label: String? = nil, assumedLoader: Loader? = nil,
        outside: OutsideClients? = nil, law: ListenerPolicy? = nil, entrance: LoadEntrance = .proxy,
        original: OriginalDestination? = nil
    ) {
        self.address = address
        self.label = label
        self.assumedLoader = assumedLoader
        self.outside = outside
        self.law = law
        self.entrance = entrance
        self.original = original
    }

    /// True if the client is on this machine. Most local addresses need no parser, because they start with 127.
    var isLoopback: Bool { address.hasPrefix("127.") || IPAddress(host)?.isLoopback == true }

    /// The address without the port, which differs for each connection of a client.
    var host: String { (try? Authority(address[...]))?.host ?? address }
}

/// The address of a client's connection before it was redirected: the only address dialed for this client.
public struct OriginalDestination: Sendable, Hashable {
    public var address: IPAddress
    public var port: Int

    public init(address: IPAddress, port: Int) {
        self.address = address
        self.port = port
    }

    /// The address as the host of a URL, an IPv6 address without brackets.
    public var host: String { address.description }
}

/// The dictionary and release for the clients of one listener, if they differ from those of the gate.
public struct ListenerPolicy: Sendable, Hashable {
    /// The file with the app's dictionary; nil for the gate's.
    public var policyPath: String?
    /// The release of its clients; nil for the gate's choice.
    public var system: SystemChoice?

    public init(policyPath: String? = nil, system: SystemChoice? = nil) {
        self.policyPath = policyPath
        self.system = system
    }

    /// True if the listener uses the gate's own dictionary and release.
    public var isUsual: Bool { policyPath == nil && system == nil }
}

/// The release assumed for clients.
public enum SystemChoice: Sendable, Hashable {
    case named(OSProfile)
    /// The release in each client's User-Agent.
    case guessed
}

/// A judge, and whether the User-Agent of a client may change its release.
public struct JudgedSystem: Sendable {
    public var judge: Judge
    public var source: SystemSource

    public init(judge: Judge, source: SystemSource = .named) {
        self.judge = judge
        self.source = source
    }
}
