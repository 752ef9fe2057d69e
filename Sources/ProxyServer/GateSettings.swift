public import ATSPolicy
public import Dialing
public import NetLoop
public import ProxyCore
public import Records
import Text

/// The settings of `proxy` and `run`. Defaults are those of the command line.
public struct GateSettings: Sendable {
    public var listeners = [ListenAddress()]
    /// Open sockets for some of the listeners.
    public var handed = InheritedSockets.none
    public var allowsLAN = false
    /// Clients on other machines may connect through the gate to this machine: its loopback, own and link-local
    /// addresses.
    public var allowsLANToHost = false
    /// Path of the dictionary, `-` for standard input; nil for the secure defaults.
    public var policyPath: String?
    /// Used instead of the file at that path, which is then not read.
    public var declaration: Declaration?
    /// nil to guess: for each client by its User-Agent, else by the dictionary, else the newest.
    public var profile: OSProfile? = OSProfile.newest
    /// The choice of ``profile``, as listeners express it.
    var system: SystemChoice { profile.map { .named($0) } ?? .guessed }
    public var switches = JudgeSwitches()
    /// The rules for loads and connections.
    public var rules = LoadRules()
    /// True to pass a host through for a client that pins it.
    public var autoPassthrough = true
    public var connectTo: [ConnectTo] = []
    /// The proxy that the gate connects through.
    public var parent: ParentProxy?
    /// Hosts that are dialed directly even with a parent.
    public var parentBypass = ParentBypass()
    /// The certificates for origins that request one.
    public var clientCertificates: [ClientCertificateFile] = []
    /// The file for TLS secrets; nil for none.
    public var keyLogPath: String?
    /// PEM files trusted as the system's roots; empty for the platform's own bundle.
    public var roots: [String] = []
    /// PEM files trusted as installed by the user.
    public var extraCAs: [String] = []
    /// The list of transparency logs to check timestamps with; nil to only count timestamps.
    public var ctLogs: String?
    /// The directory of the local CA.
    public var caDirectory = ""
    public var recording = ""
    public var timeouts = GateTimeouts()
    /// Event loops; 0 for one per core.
    public var loops = 0
    /// The bytes that may wait for all slow readers together. Each may have a few more, and each loop 16 MiB in pipes
    /// for splicing.
    public var outboxBytes = 67_108_864
    /// The number of descriptors that the process may have; nil to use the system's limit.
    public var descriptorLimit: Int?

    public init() {}

    /// The planner for routes to origins.
    public var dialPlanner: DialPlanner { DialPlanner(connectTo: connectTo, parent: parent, bypass: parentBypass) }
}

/// One `--listen`.
public struct ListenAddress: Sendable, Hashable {
    public var host = "127.0.0.1"
    /// 0 for any free port.
    public var port = 9802
    /// The name of sockets from a service manager, which determine host and port; nil for an address.
    public var socketName: String?
    /// The label in records, to distinguish several devices.
    public var label: String?
    /// The loader assumed for every load of this listener; overrides ``ClientRules/loader``.
    public var assumedLoader: Loader?
    /// The handling of clients that ATS does not govern; overrides ``ClientRules/outside``.
    public var outside: OutsideClients?
    /// The dictionary and release for its clients, if they differ.
    public var law = ListenerPolicy()
    /// The way its clients name their targets.
    public var entrance = LoadEntrance.proxy
    /// True if it is in another network than the gate dials from, where the same address may be another host.
    public var isApart = false

    public init() {}

    public init(
        host: String, port: Int, label: String? = nil, assumedLoader: Loader? = nil, entrance: LoadEntrance = .proxy
    ) {
        self.host = host
        self.port = port
        self.label = label
        self.assumedLoader = assumedLoader
        self.entrance = entrance
    }

    /// True if only this machine can reach it.
    public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// `HOST:PORT`, an IPv6 address in brackets.
    public var text: String { Authority(host: host, port: port).description }

    /// `HOST:PORT` with the scheme for clients.
    public var url: String { "\(entrance.scheme)://\(text)" }
}

extension LoadEntrance {
    /// The scheme of a listener's URL. It does not show how connections were redirected.
    public var scheme: String {
        switch self {
        case .proxy: "http"
        case .socks: "socks5"
        case .transparent, .wireguard, .capture: "transparent"
        }
    }
}

/// One `--client-cert HOST[:PORT]=PEM`.
public struct ClientCertificateFile: Sendable, Hashable {
    /// Exact, or `*.example.com` for all subdomains.
    public var host: String
    /// nil for any.
    public var port: Int?
    public var path: String

    public init(host: String, port: Int?, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }
}

/// Times used by ProxyServer; those of a session are in ``SessionLimits``.
public struct GateTimeouts: Sendable {
    /// Looking a name up and connecting, all addresses together.
    public var connect: Duration = .seconds(15)
    /// How long an idle origin connection is kept for another load.
    public var keepOrigin: Duration = .seconds(15)
    /// How long a drain waits for loads in flight.
    public var drain: Duration = .seconds(30)

    public init() {}
}
