public import ATSPolicy
public import Dialing
public import NetLoop
public import ProxyCore
public import TLSEngine

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

/// Reads the files with trusted roots and client certificates.
extension GateSettings {
    /// Reads roots and the list of transparency logs.
    ///
    /// - Parameter willRead: receives the path of each file before it is read.
    public func readTrust(willRead: (String) -> Void = { _ in }) throws(GateError) -> TrustStore {
        for path in roots + extraCAs { willRead(path) }
        let logs = try readLogs(willRead)
        do throws(TrustStoreError) {
            return try TrustStore(
                systemRootsPEM: roots, platformBundle: roots.isEmpty ? TrustStore.platformBundlePath() : nil,
                userRootsPEM: extraCAs, logs: logs)
        } catch {
            throw .trust(error)
        }
    }

    /// Reads the client certificates.
    ///
    /// - Parameter willRead: receives the path of each file before it is read.
    public func readIdentities(willRead: (String) -> Void = { _ in }) throws(GateError) -> ClientIdentities {
        var entries: [ClientIdentities.Entry] = []
        for file in clientCertificates {
            willRead(file.path)
            do throws(ClientIdentityError) {
                let identity = try ClientIdentity(path: file.path)
                entries.append(ClientIdentities.Entry(host: file.host, port: file.port, identity: identity))
            } catch {
                throw .clientCertificate(error)
            }
        }
        return ClientIdentities(entries)
    }

    private func readLogs(_ willRead: (String) -> Void) throws(GateError) -> TransparencyLogs? {
        guard let path = ctLogs else { return nil }
        willRead(path)
        do throws(TransparencyLogsError) {
            return try TransparencyLogs(path: path)
        } catch {
            throw .logs(error)
        }
    }
}
