public import ATSPolicy
public import Diagnosis
public import Onboarding
public import Reporting

/// What the page may know of a gate, and ask of it. Made by whoever runs the gate: ControlPlane knows none.
public struct GateInterface: Sendable {
    /// What is in force.
    public struct State: Sendable {
        public var declaration: Declaration
        /// nil where each client's own is found out.
        public var profile: OSProfile?
        /// What a load is judged by that tells nothing of its system.
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

    /// How much `atsgate lint` finds in the dictionary in force.
    public struct Problems: Sendable, Hashable {
        public var errors: Int
        public var warnings: Int
        /// Lists them; nil where the dictionary is in no file.
        public var command: String?
        /// Each of them, as a line.
        public var remarks: [String]

        public init(errors: Int, warnings: Int, command: String?, remarks: [String] = []) {
            self.errors = errors
            self.warnings = warnings
            self.command = command
            self.remarks = remarks
        }
    }

    /// A device's way in by WireGuard.
    public struct Tunnel: Sendable, Hashable {
        /// The device's name in it.
        public var peer: String
        /// What its WireGuard app reads, the device's private key among it; nil where only another user may read it.
        public var configuration: String?

        public init(peer: String, configuration: String?) {
            self.peer = peer
            self.configuration = configuration
        }
    }

    public var version: String
    public var state: @Sendable () -> State
    /// Where clients find the gate, as URLs.
    public var proxies: [String] = []
    /// Where devices of the network find its own page, as URLs; asked for each time, for networks come and go.
    public var phones: @Sendable () -> [String] = { [] }
    /// That were seen so far, the latest first.
    public var devices: @Sendable () -> [Device] = { [] }
    /// That devices come in by. Reads files: blocks.
    public var tunnels: @Sendable () -> [Tunnel] = { [] }
    /// What is worth saying of the clients so far, as sentences.
    public var clientNotes: @Sendable () -> [String] = { [] }
    /// SHA-256 of the local CA, as people compare it.
    public var fingerprint = ""
    /// nil where nothing is kept.
    public var storePath: String?
    /// Connects with the store that this gate shares with others; nil where there is none. Is told how long each answer of
    /// the server is waited for. Blocks, for some seconds where the server is away.
    public var sharedStore: (@Sendable (_ patience: Duration) throws -> StoreReader)?
    /// What that store tells of all gates, and of what they blocked within some hours; nil where there is none. Blocks as
    /// ``sharedStore``.
    public var fleet: (@Sendable (_ hours: Int) throws -> FleetOverview)?
    public var switches = JudgeSwitches()
    public var appTrust = AppTrust.systemOnly
    /// What of the loads counts at the gate's end, and what is known.
    public var rules = JudgementRules()
    /// What its numbers are.
    public var monitor: GateMonitor
    /// Returns once all loads that have ended are recorded. Blocks.
    public var settle: @Sendable () -> Void = {}
    /// Files loads under another name from now on.
    public var startRecording: @Sendable (String) throws -> Void
    /// A dictionary with the names that loads of some recordings have, which may be masked; of no recordings for all. Of
    /// this gate's store where no other is given. Blocks.
    public var reported: @Sendable (Declaration, _ recordings: [String], StoreReader?) throws -> Declaration = {
        declaration, _, _ in declaration
    }
    /// What is wrong with the dictionary in force; nil for nothing. Reads its file: blocks.
    public var problems: @Sendable () -> Problems? = { nil }
    /// Enforces another dictionary until the file changes; nil where that is not allowed.
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
