public import ATSPolicy
public import Diagnosis
public import Onboarding
public import Records
public import Reporting

/// The live page and its API.
public enum ControlPlane {
    /// All routes of a gate.
    ///
    /// - Parameter more: additional routes, such as those for setting up a phone.
    public static func site(
        rules: AccessRules, feed: LiveFeed, interface: GateInterface, limits: WebLimits = WebLimits(),
        more: [WebRoute] = []
    ) -> WebRouter {
        let slots = Slots(limit: limits.streams)
        let source = LoadSource(feed: feed, interface: interface, limits: limits)
        var router = WebRouter(rules, [.health, .events(of: feed, slots: slots), .verify(source, interface)])
        router.add(RecordRoutes(source: source, interface: interface).all)
        router.add(RecordingRoutes(source: source, interface: interface).all)
        router.add(PolicyRoutes(source: source, interface: interface).all)
        router.add(StateRoutes(source: source, interface: interface).all)
        router.add(TunnelRoutes(interface: interface).all)
        if let look = interface.fleet { router.add(FleetRoutes(look, monitor: interface.monitor).all) }
        router.add(WebRoute.page + more)
        return router
    }
}

/// The page's view of a gate. The code that runs the gate provides it, so that ControlPlane need not import the gate.
public struct GateInterface: Sendable {
    /// The configuration in force.
    public struct State: Sendable {
        public var declaration: Declaration
        /// The emulated release; nil if each client's own is detected.
        public var profile: OSProfile?
        /// The release for loads that do not show their system.
        public var usualProfile: OSProfile
        public var mode: String
        public var recording: String

        public init(
            declaration: Declaration, profile: OSProfile?, usualProfile: OSProfile, mode: String, recording: String
        ) {
            self.declaration = declaration
            self.profile = profile
            self.usualProfile = usualProfile
            self.mode = mode
            self.recording = recording
        }
    }

    /// The findings of `atsgate lint` for the dictionary in force.
    public struct Problems: Sendable, Hashable {
        public var errors: Int
        public var warnings: Int
        /// The command that lists them; nil if the dictionary is not in a file.
        public var command: String?
        /// One line for each finding.
        public var remarks: [String]

        public init(errors: Int, warnings: Int, command: String?, remarks: [String] = []) {
            self.errors = errors
            self.warnings = warnings
            self.command = command
            self.remarks = remarks
        }
    }

    /// A device's WireGuard tunnel.
    public struct Tunnel: Sendable, Hashable {
        /// The device's name in the tunnel.
        public var peer: String
        /// The WireGuard app's configuration, which contains the device's private key; nil if only another user may
        /// read it.
        public var configuration: String?

        public init(peer: String, configuration: String?) {
            self.peer = peer
            self.configuration = configuration
        }
    }

    public var version: String
    public var state: @Sendable () -> State
    /// The command that starts a gate with the same options, without addresses.
    public var command = "atsgate proxy"
    /// The URLs at which clients reach the gate.
    public var proxies: [String] = []
    /// The URLs at which devices on the network reach the gate's own page. A closure, because networks come and go.
    public var phones: @Sendable () -> [String] = { [] }
    /// The devices seen so far, the latest first.
    public var devices: @Sendable () -> [Device] = { [] }
    /// The tunnels through which devices connect. Reads files: blocks.
    public var tunnels: @Sendable () -> [Tunnel] = { [] }
    /// Remarks on the clients so far, as sentences.
    public var clientNotes: @Sendable () -> [String] = { [] }
    /// The local CA's SHA-256 fingerprint, formatted for comparison by people.
    public var fingerprint = ""
    /// The file of the gate's store; nil for a store in memory.
    public var storePath: String?
    /// Opens the gate's store for reading.
    public var reader: @Sendable () throws -> StoreReader = { try StoreSink().reader }
    /// Connects to the store that this gate shares with others; nil if there is none. `timeout` limits the wait for
    /// each answer of the server. Blocks, for some seconds if the server is unreachable.
    public var sharedStore: (@Sendable (_ timeout: Duration) throws -> StoreReader)?
    /// Reads the state of all gates from that store, and the loads blocked in the last `hours`; nil if there is none.
    /// Blocks like ``sharedStore``.
    public var fleet: (@Sendable (_ hours: Int) throws -> FleetOverview)?
    public var switches = JudgeSwitches()
    public var appTrust = AppTrust.systemOnly
    /// The rules that decide which loads count for the exit code.
    public var rules = JudgementRules()
    /// The gate's metrics.
    public var monitor: GateMonitor
    /// Returns once all loads that have ended are recorded. Blocks.
    public var settle: @Sendable () -> Void = {}
    /// Starts a recording with another name for all later loads.
    public var startRecording: @Sendable (String) throws -> Void
    /// Renames the hosts of a dictionary as they are masked in the given recordings; without recordings, in all. Uses
    /// this gate's store if no reader is given. Blocks.
    public var reported: @Sendable (Declaration, _ recordings: [String], StoreReader?) throws -> Declaration = {
        declaration, _, _ in declaration
    }
    /// Copies the loads of a store that match a filter, with masked names; nil if reports cannot be redacted. Blocks.
    public var masked: (@Sendable (StoreReader, RecordFilter, NameMask) throws -> StoreReader)?
    /// The problems of the dictionary in force; nil if there are none. Reads its file: blocks.
    public var problems: @Sendable () -> Problems? = { nil }
    /// Enforces another dictionary until the file changes; nil if that is not allowed.
    public var enforce: (@Sendable (Declaration) throws -> Void)?

    public init(
        version: String, state: @escaping @Sendable () -> State,
        startRecording: @escaping @Sendable (String) throws -> Void
    ) {
        self.version = version
        monitor = GateMonitor(version: version)
        self.state = state
        self.startRecording = startRecording
    }
}
