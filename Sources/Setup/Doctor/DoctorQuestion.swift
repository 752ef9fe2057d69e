public import Text

/// The doctor's input and its probes. The command provides them: Setup opens no sockets and no store.
public struct DoctorQuestion: Sendable {
    /// The answer of an address.
    public enum Reply: Sendable, Hashable {
        /// Nothing listens there.
        case refused
        /// No answer: a firewall, or another network.
        case silent
        /// Another program listens there.
        case stranger
        /// A gate, with the SHA-256 of its CA in lower-case hexadecimal, and the policy in force, which it reports only
        /// to its own machine.
        case gate(fingerprint: String, policy: String? = nil)
    }

    /// The CA of this user.
    public struct Authority: Sendable, Hashable {
        public var path: String
        public var fingerprint: String
        /// Seconds since 1970-01-01 UTC.
        public var notBefore: Int64
        public var notAfter: Int64

        public init(path: String, fingerprint: String, notBefore: Int64, notAfter: Int64) {
            self.path = path
            self.fingerprint = fingerprint
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    /// The newest recording of the store.
    public struct Traffic: Sendable, Hashable {
        /// Time of its newest load, in seconds since 1970-01-01 UTC.
        public var last: Int64
        public var loads: Int
        /// Policies that its loads were judged by.
        public var policies: [String]
        /// True if it has loads of iCloud Private Relay.
        public var hasRelay: Bool
        /// The state of ATS in the installed app, by the hellos of its loads; nil if no hello shows it.
        public var build: Build?
        /// Devices from which only checks of the connection arrived.
        public var checkingDevices: [String] = []
        /// Its name.
        public var recording: String?

        public init(last: Int64, loads: Int, policies: [String], hasRelay: Bool) {
            self.last = last
            self.loads = loads
            self.policies = policies
            self.hasRelay = hasRelay
        }
    }

    /// The app that is installed on the device, as its hellos show it.
    public enum Build: Sendable, Hashable {
        /// ATS is off, so the gate sees every load.
        case relaxed
        /// ATS is on for this host, and the dictionary has it on, too.
        case inForce(host: String)
        /// ATS is on for this host, and the dictionary has it off.
        case stricter(host: String)
    }

    /// A gateway that is set up or planned, and a tunnel.
    public struct Network: Sendable {
        public var setup: Setup
        /// The planned interface for devices; nil for those that were set up.
        public var interface: String?
        /// Returns whether a program listens at a TCP address of this machine. Must not connect: a direct connection to
        /// a transparent listener is a load that loops, and the gate records it.
        public var hasListener: @Sendable (Text.Authority) -> Bool
        /// Tries to open /dev/net/tun, and returns the reason if that fails.
        public var tunnelDeviceFault: @Sendable () -> String? = { nil }

        public init(
            setup: Setup, interface: String?, hasListener: @escaping @Sendable (Text.Authority) -> Bool
        ) {
            self.setup = setup
            self.interface = interface
            self.hasListener = hasListener
        }
    }

    /// The expected address of the gate.
    public var gate: Text.Authority
    /// Checks an address; blocks for a second or two at most.
    public var ask: @Sendable (Text.Authority) -> Reply
    /// Addresses of this machine in its networks.
    public var hosts: [String] = []
    /// True if other devices should also reach the gate.
    public var checksDevices = false
    /// nil if there is none yet.
    public var authority: Authority?
    /// nil if nothing was recorded.
    public var traffic: Traffic?
    /// The policy that should be in force; nil for no particular one.
    public var policy: String?
    /// The base of relative file names.
    public var folder = "/"
    public var environment: [String: String] = [:]
    /// Seconds since 1970-01-01 UTC.
    public var now: Int64
    /// Runs commands of macOS; nil on other systems.
    public var runner: (any CommandRunner)?
    /// Access to packet rules; nil if they cannot be checked.
    public var network: Network?

    public init(gate: Text.Authority, now: Int64, ask: @escaping @Sendable (Text.Authority) -> Reply) {
        self.gate = gate
        self.now = now
        self.ask = ask
    }
}
