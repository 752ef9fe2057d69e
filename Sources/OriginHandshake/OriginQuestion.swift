public import ATSPolicy
public import TLSEngine

/// What an origin is asked in a handshake, and the law that its answer is held against.
public struct OriginQuestion {
    /// Offer, demands and basis of the ruling.
    public var permit: ConnectPermit
    /// Sent as SNI unless it is an address.
    public var serverName: String
    /// Protocols in order of preference; empty offers none.
    public var alpn: [String]
    public var profile: OSProfile
    public var trust: TrustStore
    public var appTrust: AppTrust
    /// What to show an origin that asks for a certificate.
    public var identity: ClientIdentity?
    /// A session may be offered, and what the origin gives may be kept for later ones.
    public var mayResume: Bool
    /// Audit mode: what a device would refuse passes, with the verdict beside it.
    public var isAudited: Bool
    /// Waits for what the origin says after a handshake of TLS 1.3 in which it asked for a certificate: only then it
    /// tells whether it takes the answer (RFC 8446 section 4.4.2.4). A load would show it anyway.
    public var hearsOut = false

    public init(
        permit: ConnectPermit, serverName: String, alpn: [String], profile: OSProfile, trust: TrustStore,
        appTrust: AppTrust = .systemOnly, identity: ClientIdentity? = nil, mayResume: Bool = false,
        isAudited: Bool = false
    ) {
        self.permit = permit
        self.serverName = serverName
        self.alpn = alpn
        self.profile = profile
        self.trust = trust
        self.appTrust = appTrust
        self.identity = identity
        self.mayResume = mayResume
        self.isAudited = isAudited
    }

    /// What the emulated device would offer; everything where it offers nothing of its own.
    var offer: TLSOffer { permit.offer ?? .diagnostic }

    func handshakeCase(_ facts: HandshakeFacts, now: Int64) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: permit.target.host, demands: permit.demands, offer: offer, profile: profile, now: now,
            basis: permit.basis)
    }

    /// The system's verdict, then that of the app's own code.
    func verdict(on handshake: HandshakeCase) -> HandshakeVerdict {
        appTrust.judge(RuleBook.standard.judge(handshake), of: handshake)
    }

    /// The verdict on an origin that asked for a certificate and ended the connection over the answer.
    func verdict(on lost: LostConnection, in handshake: HandshakeCase) -> HandshakeVerdict {
        RuleBook.standard.judge(lost, by: permit.target.host, after: verdict(on: handshake))
    }

    /// The verdict on a handshake that broke, with or without knowing what the origin would have agreed to.
    func verdict(on failure: HandshakeFailure, facts: HandshakeFacts?, now: Int64) -> HandshakeVerdict {
        RuleBook.standard.judge(
            failure, diagnosis: facts.map { handshakeCase($0, now: now) }, target: permit.target, basis: permit.basis,
            demands: permit.demands, offer: offer, profile: profile)
    }
}
