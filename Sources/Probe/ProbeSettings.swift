public import ATSPolicy
public import Dialing
public import TLSEngine

/// How origins are reached and believed while they are probed.
public struct ProbeSettings: Sendable {
    public var planner = DialPlanner()
    public var trust: TrustStore
    public var appTrust = AppTrust.systemOnly
    /// What to show an origin that asks for a certificate.
    public var identity: @Sendable (LoadTarget) -> ClientIdentity? = { _ in nil }
    /// How long looking up and connecting may take, and then a handshake.
    public var timeout = Duration.seconds(10)
    public var addresses = AddressChoice.all

    public init(trust: TrustStore) {
        self.trust = trust
    }
}

/// Which addresses of a name are tried. Raw values are those of `--addresses`.
public enum AddressChoice: String, Sendable, Hashable, CaseIterable {
    case all
    /// The one that answers first, as for a device.
    case first
}
