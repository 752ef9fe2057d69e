public import Text

/// What the doctor knows and may ask. Made by the command: Setup opens no sockets and no store.
public struct DoctorQuestion: Sendable {
    /// What an address answered.
    public enum Reply: Sendable, Hashable {
        /// Nobody listens there.
        case refused
        /// Nothing came back: a firewall, or another network.
        case silent
        /// Somebody listens, but no gate.
        case stranger
        /// A gate, with the SHA-256 of its CA in lower-case hexadecimal, and the policy in force, which it tells its own
        /// machine only.
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
        /// Seconds since 1970-01-01 UTC, of its newest load.
        public var last: Int64
        public var loads: Int
        /// Under which its loads were judged.
        public var policies: [String]
        /// It has loads of iCloud Private Relay.
        public var hasRelay: Bool

        public init(last: Int64, loads: Int, policies: [String], hasRelay: Bool) {
            self.last = last
            self.loads = loads
            self.policies = policies
            self.hasRelay = hasRelay
        }
    }

    /// A gateway that is set up, or meant to be, and a tunnel.
    public struct Network: Sendable {
        public var setup: Setup
        /// Where devices are meant to come in; nil for where they were set up to.
        public var interface: String?
        /// Packets are pf's, of macOS.
        public var isMac = false
        /// Whether somebody listens at an address of this machine, by TCP. Asked without a connection: one that nobody led
        /// to a transparent listener is a load that goes in circles, and the gate keeps a record of it.
        public var hasListener: @Sendable (Text.Authority) -> Bool
        /// Why this user can not open /dev/net/tun; nil where that works. Opens it.
        public var tunnelDeviceFault: @Sendable () -> String? = { nil }

        public init(
            setup: Setup, interface: String?, hasListener: @escaping @Sendable (Text.Authority) -> Bool
        ) {
            self.setup = setup
            self.interface = interface
            self.hasListener = hasListener
        }
    }

    /// Where the gate is meant to be.
    public var gate: Text.Authority
    /// Asks an address; blocks for a second or two at most.
    public var ask: @Sendable (Text.Authority) -> Reply
    /// Addresses of this machine in its networks.
    public var hosts: [String] = []
    /// Other devices are to be let in, too.
    public var wantsDevices = false
    /// nil where there is none yet.
    public var authority: Authority?
    /// nil where nothing was recorded.
    public var traffic: Traffic?
    /// The policy that is thought to be in force; nil for none in particular.
    public var policy: String?
    /// Where names of files begin that are not absolute.
    public var folder = "/"
    public var environment: [String: String] = [:]
    /// Seconds since 1970-01-01 UTC.
    public var now: Int64
    /// Commands of macOS can be asked; nil elsewhere.
    public var runner: (any CommandRunner)?
    /// Packet rules can be asked; nil elsewhere.
    public var network: Network?

    public init(gate: Text.Authority, now: Int64, ask: @escaping @Sendable (Text.Authority) -> Reply) {
        self.gate = gate
        self.now = now
        self.ask = ask
    }
}
