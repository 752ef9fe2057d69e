public import ATSPolicy
public import Dialing
public import OriginHandshake
public import TLSEngine

/// Options for reaching origins and for trusting their certificates.
public struct ProbeSettings: Sendable {
    public var planner = DialPlanner()
    public var trust: TrustStore
    public var appTrust = AppTrust.systemOnly
    /// Recognizes proxies that decrypt connections, by all targets of these settings.
    public let proxies = ProxyWatch()
    public var decrypted = DecryptedOrigins.infer
    /// The identity for an origin that requests a certificate.
    public var identity: @Sendable (LoadTarget) -> ClientIdentity? = { _ in nil }
    /// Time limit for lookup and connection, and separately for the handshake.
    public var timeout = Duration.seconds(10)
    public var addresses = AddressChoice.all

    public init(trust: TrustStore) {
        self.trust = trust
    }
}

/// The addresses of a name that are tried. Raw values are those of `--addresses`.
public enum AddressChoice: String, Sendable, Hashable, CaseIterable {
    case all
    /// The one that answers first, as for a device.
    case first
}
