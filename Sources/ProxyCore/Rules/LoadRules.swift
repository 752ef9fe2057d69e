public import ATSPolicy
import Text

/// What is done with loads and connections, as whoever starts a gate chose it: part of its settings, and of its policy.
/// Defaults are those of the command line.
public struct LoadRules: Sendable {
    public var mode = EnforcementMode.enforce
    public var refusal = RefusalStyle.untrustedLeaf
    public var clients = ClientRules()
    /// What the app's own code has to say about certificates.
    public var appTrust = AppTrust.systemOnly
    /// Hosts whose TLS is not opened: patterns of ``HostPatterns``.
    public var passthrough: [String] = []
    /// Whose connections to ``AppleServices`` are not opened either.
    public var appleServices = AppleServices.Scope.devices
    /// What becomes of HTTP upgrades other than WebSocket.
    public var otherUpgrades = OtherUpgrades.relay
    public var otherTraffic = OtherTraffic.relay
    /// Alternatives in HTTP/3 are passed on to clients.
    public var keepsAltSvc = false
    public var limits = SessionLimits()

    public init() {}

    /// As they are carried out: who only watches refuses nothing.
    var effective: LoadRules {
        guard mode == .witness else { return self }
        var rules = self
        rules.otherUpgrades = .relay
        rules.otherTraffic = .relay
        return rules
    }

    /// Hosts that are not opened for the clients of a scope.
    func passthrough(for scope: AppleServices.Scope) -> HostPatterns {
        let own = HostPatterns(scope == .everyone ? passthrough : [])
        return appleServices == scope ? own.union(AppleServices.hosts) : own
    }
}

/// Whether a broken rule stops a load.
public enum EnforcementMode: String, Sendable, CaseIterable {
    case enforce
    /// Everything passes; what a device would have blocked is recorded as `wouldBlock`.
    case audit
    /// The same, and nothing is opened: what devices do with each origin is watched and recorded beside it.
    case witness
}

/// What becomes of what a tunnel carries that is neither TLS nor HTTP.
public enum OtherTraffic: String, Sendable, CaseIterable {
    /// Passed on unread and recorded as outside: ATS does not govern raw sockets.
    case relay
    /// The tunnel is closed, and recorded as blocked.
    case refuse
}

/// How an https refusal is shown to the client.
public enum RefusalStyle: String, Sendable, CaseIterable {
    /// Finish the client's handshake with a leaf from an issuer nobody trusts: a device reports a genuine -1200
    /// [3:-9802]. Source: docs/law/refusals.md#what-can-be-shown.
    case untrustedLeaf = "untrusted-leaf"
    /// The TLS alert that makes the client report the wanted number (docs/law/errors.md#alerts).
    case alert
    case close
    /// Finish it with a leaf that has the origin's own defect, as far as one can: expired, made for another name.
    case mirror
}

/// Time and size limits of a session.
public struct SessionLimits: Sendable {
    /// From the first byte of a request, or from accepting, to the end of its head.
    public var head: Duration = .seconds(30)
    /// Between two loads, and within a body or a tunnel in which nothing moves.
    public var idle: Duration = .seconds(300)
    /// One TLS handshake, on either side.
    public var handshake: Duration = .seconds(15)
    /// From a request's end to the first byte of its answer.
    public var answer: Duration = .seconds(120)
    /// How long a client that has ended its side is still thought to wait for its answer.
    public var halfClosed: Duration = .milliseconds(900)
    /// How long a refused client may take to read why.
    public var linger: Duration = .seconds(2)
    /// Bytes that may wait in front of a slow reader before its writer is paused.
    public var highWaterBytes = 262_144

    public init() {}

    func duration(of deadline: Deadline) -> Duration {
        switch deadline {
        case .head: head
        case .idle: idle
        case .handshake: handshake
        case .answer: answer
        case .halfClosed: halfClosed
        case .linger: linger
        }
    }
}
