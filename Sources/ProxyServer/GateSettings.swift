public import ATSPolicy
public import Dialing
public import NetLoop
public import ProxyCore
public import Records
import Text

/// Everything that `proxy` and `run` can be told. Defaults are those of the command line.
public struct GateSettings: Sendable {
    public var listeners = [ListenAddress()]
    /// Sockets that are there already for some of them.
    public var handed = InheritedSockets.none
    public var allowsLAN = false
    /// Clients of other machines may be led to this one: to its loopback, its own addresses, its link.
    public var allowsLANToHost = false
    /// Path of the declaration, `-` for standard input; nil for the secure defaults.
    public var policyPath: String?
    /// Stands for the file of that path, which is not read then: its name is that of the dictionary.
    public var declaration: Declaration?
    /// Paths of declarations under which each load is judged, too.
    public var candidatePaths: [String] = []
    /// nil guesses it: for each client by its User-Agent, else by the declaration, else the newest.
    public var profile: OSProfile? = OSProfile.newest
    /// The same, in the words of listeners.
    var system: SystemChoice { profile.map { .named($0) } ?? .guessed }
    public var switches = JudgeSwitches()
    /// What is done with loads and connections.
    public var rules = LoadRules()
    /// Hosts that a client is found to pin are not opened for it.
    public var autoPassthrough = true
    public var connectTo: [ConnectTo] = []
    /// The proxy that the gate itself goes through.
    public var parent: ParentProxy?
    /// Hosts that are dialed although there is a parent.
    public var parentBypass = ParentBypass()
    /// What is shown to origins that ask for a certificate.
    public var clientCertificates: [ClientCertificateFile] = []
    /// Where TLS secrets are written; nil for nowhere.
    public var keyLogPath: String?
    /// PEM files believed as the system's roots; empty for the platform's own bundle.
    public var roots: [String] = []
    /// PEM files believed as installed by the user.
    public var extraCAs: [String] = []
    /// List of the logs that transparency timestamps are held against; nil for only counting them.
    public var ctLogs: String?
    /// Where the local CA lives.
    public var caDirectory = ""
    public var recording = ""
    public var timeouts = GateTimeouts()
    /// Names that were given out here, which redirected clients ask for; nil for none.
    public var addressBook: (any AddressBook)?
    /// Tells where redirected clients were to go, where their sockets do not.
    package var redirects = RedirectLookup.ofThisSystem
    /// Event loops; 0 for one per core.
    public var loops = 0
    /// Bytes that may wait in front of slow readers, all of them together; each may have a few of its own
    /// beyond that, and a loop its pipes for splicing, 16 MiB.
    public var outboxBytes = 67_108_864
    /// How many descriptors the process may have; nil asks the system.
    public var descriptorLimit: Int?

    public init() {}

    /// How origins are reached.
    public var dialPlanner: DialPlanner { DialPlanner(connectTo: connectTo, parent: parent, bypass: parentBypass) }
}

/// One `--listen`.
public struct ListenAddress: Sendable, Hashable {
    public var host = "127.0.0.1"
    /// 0 asks the system for a free one.
    public var port = 9802
    /// The name of sockets that a service manager hands over, which then tell host and port; nil for an address.
    public var socketName: String?
    /// Told in records, to keep several devices apart.
    public var label: String?
    /// What every load that comes in here is taken for; stronger than ``ClientRules/loader``.
    public var assumedLoader: Loader?
    /// What becomes here of clients that ATS does not govern; stronger than ``ClientRules/outside``.
    public var outside: OutsideClients?
    /// What its clients are judged under, where that differs.
    public var law = ListenerLaw()
    public var speaks = ProxyLanguage.http
    /// For connections that are redirected: by what, for records.
    public var entrance: LoadEntrance?
    /// Is in another network than the one that the gate dials from, where the same address leads to something else.
    public var isApart = false

    public init() {}

    public init(
        host: String, port: Int, label: String? = nil, assumedLoader: Loader? = nil, speaks: ProxyLanguage = .http
    ) {
        self.host = host
        self.port = port
        self.label = label
        self.assumedLoader = assumedLoader
        self.speaks = speaks
    }

    /// Only this machine can reach it.
    public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// `HOST:PORT`, an IPv6 address in brackets.
    public var text: String { Authority(host: host, port: port).description }

    /// With the scheme that clients are to be told.
    public var url: String { "\(speaks.rawValue)://\(text)" }
}

/// How clients ask a listener for what they want. Raw values are the schemes of its URL.
public enum ProxyLanguage: String, Sendable, Hashable, CaseIterable {
    case http, socks5
    /// Not at all: their connections are redirected to it.
    case transparent
}

/// One `--client-cert HOST[:PORT]=PEM`.
public struct ClientCertificateFile: Sendable, Hashable {
    /// Exact, or `*.example.com` for everything below.
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

/// Times that are ProxyServer's own; those of a session are in ``SessionLimits``.
public struct GateTimeouts: Sendable {
    /// Looking a name up and connecting, all addresses together.
    public var connect: Duration = .seconds(15)
    /// How long an idle origin connection is kept for another load.
    public var keepOrigin: Duration = .seconds(15)
    /// How long a drain waits for loads in flight.
    public var drain: Duration = .seconds(30)

    public init() {}
}
