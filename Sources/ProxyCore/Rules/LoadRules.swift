public import ATSPolicy
import Text

/// The user's choices about loads and connections: part of the gate's settings and of its policy. Defaults are those of
/// the command line.
public struct LoadRules: Sendable {
    public var mode = EnforcementMode.enforce
    public var refusal = RefusalStyle.untrustedLeaf
    public var clients = ClientRules()
    /// The trust decisions of the app's own code.
    public var appTrust = AppTrust.systemOnly
    /// Hosts whose TLS is not decrypted: patterns of ``HostPatterns``.
    public var passthrough: [String] = []
    /// The clients whose connections to ``AppleServices`` are not decrypted either.
    public var appleServices = AppleServices.Scope.devices
    /// The handling of HTTP upgrades other than WebSocket.
    public var otherUpgrades = OtherUpgrades.relay
    public var otherTraffic = OtherTraffic.relay
    /// Keeps alternative services in HTTP/3 in responses to clients.
    public var keepsAltSvc = false
    public var limits = SessionLimits()

    public init() {}

    /// The rules as applied: witness mode refuses nothing.
    var effective: LoadRules {
        guard mode == .witness else { return self }
        var rules = self
        rules.otherUpgrades = .relay
        rules.otherTraffic = .relay
        return rules
    }

    /// Hosts whose TLS is not decrypted for the clients of a scope.
    func passthrough(for scope: AppleServices.Scope) -> HostPatterns {
        let own = HostPatterns(scope == .everyone ? passthrough : [])
        return appleServices == scope ? own.union(AppleServices.hosts) : own
    }
}

/// The effect of a broken rule on its load.
public enum EnforcementMode: String, Sendable, CaseIterable {
    case enforce
    /// Everything passes; what a device would have blocked is recorded as `wouldBlock`.
    case audit
    /// As audit, and TLS is not decrypted. The reaction of devices to each origin is observed and recorded, too.
    case witness
}

/// The handling of tunnels that carry neither TLS nor HTTP.
public enum OtherTraffic: String, Sendable, CaseIterable {
    /// Passed on unread and recorded as outside: ATS does not govern raw sockets.
    case relay
    /// The tunnel is closed, and recorded as blocked.
    case refuse
}

/// The way an https refusal is shown to the client.
public enum RefusalStyle: String, Sendable, CaseIterable {
    /// Finishes the client's handshake with a leaf of an untrusted issuer: a device reports a genuine -1200 [3:-9802].
    /// Source: docs/law/refusals.md#what-can-be-shown.
    case untrustedLeaf = "untrusted-leaf"
    /// Sends the TLS alert that makes the client report the intended error (docs/law/errors.md#alerts).
    case alert
    case close
    /// Finishes it with a leaf that imitates the origin's defect if possible: expired, made for another name.
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
    /// From a request's end to the first byte of its response.
    public var answer: Duration = .seconds(120)
    /// How long a client that has ended its side is assumed to wait for its response.
    public var halfClosed: Duration = .milliseconds(900)
    /// The time for a refused client to read the reason.
    public var linger: Duration = .seconds(2)
    /// Bytes that may wait for a slow reader before its writer is paused.
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
