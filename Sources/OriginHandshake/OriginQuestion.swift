public import ATSPolicy
public import TLSEngine

/// What an origin is asked in a handshake, and the law that its answer is held against.
public struct OriginQuestion {
    /// Offer, demands and basis of the ruling.
    public var permit: ConnectPermit
    /// Of a second host, for which the origin has to do as well.
    public var also: ConnectPermit?
    /// Sent as SNI unless it is an address; empty sends none.
    public var serverName: String
    /// The server name is sent byte for byte, whatever it is.
    public var isNameVerbatim = false
    /// Protocols in order of preference; empty offers none.
    public var alpn: [String]
    public var profile: OSProfile
    public var trust: TrustStore
    public var appTrust: AppTrust
    /// What to show an origin that asks for a certificate.
    public var identity: ClientIdentity?
    /// A session may be offered, and what the origin gives may be kept for later ones.
    public var mayResume = false
    /// Audit mode: what a device would refuse passes, with the verdict beside it.
    public var isAudited = false
    /// Waits for what the origin says after a handshake of TLS 1.3 in which it asked for a certificate: only then it
    /// tells whether it takes the answer (RFC 8446 section 4.4.2.4). A load would show it anyway.
    public var hearsOut = false

    public init(
        permit: ConnectPermit, serverName: String, alpn: [String], profile: OSProfile, trust: TrustStore,
        appTrust: AppTrust = .systemOnly, identity: ClientIdentity? = nil
    ) {
        self.permit = permit
        self.serverName = serverName
        self.alpn = alpn
        self.profile = profile
        self.trust = trust
        self.appTrust = appTrust
        self.identity = identity
    }

    /// What the emulated device would offer; everything where it offers nothing of its own.
    public var offer: TLSOffer {
        let own = permit.offer ?? .diagnostic
        return also?.offer.map { own.narrowed(to: $0) } ?? own
    }

    /// The verdict on a handshake that finished; of two hosts the stricter counts.
    public func verdict(on facts: HandshakeFacts, now: Int64) -> OriginVerdict {
        let first = verdict(on: facts, under: permit, now: now)
        guard let also else { return first }
        let second = verdict(on: facts, under: also, now: now)
        // Where both complain it is the other host that tells more: the name that the client itself asked for.
        if second.law.failure != nil { return second }
        return first.law.findings.isEmpty && first.law.failure == nil ? second : first
    }

    /// The system's verdict, then that of the app's own code.
    private func verdict(on facts: HandshakeFacts, under permit: ConnectPermit, now: Int64) -> OriginVerdict {
        let handshake = handshakeCase(facts, under: permit, now: now)
        return OriginVerdict(
            law: appTrust.judge(RuleBook.standard.judge(handshake), of: handshake), target: permit.target)
    }

    /// The verdict on an origin that asked for a certificate and ended the connection over the answer.
    func verdict(on lost: LostConnection, after facts: HandshakeFacts, now: Int64) -> OriginVerdict {
        let shown = verdict(on: facts, now: now)
        return OriginVerdict(
            law: RuleBook.standard.judge(lost, by: shown.target.host, after: shown.law), target: shown.target)
    }

    /// The verdict on a handshake that broke, with or without knowing what the origin would have agreed to.
    func verdict(on failure: HandshakeFailure, facts: HandshakeFacts?, now: Int64) -> OriginVerdict {
        let first = verdict(on: failure, facts: facts, under: permit, now: now)
        guard let also, first.law.failure?.isBlockedByLaw != true else { return first }
        let second = verdict(on: failure, facts: facts, under: also, now: now)
        return second.law.failure?.isBlockedByLaw == true ? second : first
    }

    private func verdict(
        on failure: HandshakeFailure, facts: HandshakeFacts?, under permit: ConnectPermit, now: Int64
    ) -> OriginVerdict {
        let law = RuleBook.standard.judge(
            failure, diagnosis: facts.map { handshakeCase($0, under: permit, now: now) }, target: permit.target,
            basis: permit.basis, demands: permit.demands, offer: offer, profile: profile)
        return OriginVerdict(law: law, target: permit.target)
    }

    /// What a handshake showed, with the names of its certificate for whom it is judged.
    func facts(of tls: TLSMachine) -> HandshakeFacts? {
        tls.facts(trust: trust, for: [permit.target.host, serverName] + (also.map { [$0.target.host] } ?? []))
    }

    private func handshakeCase(_ facts: HandshakeFacts, under permit: ConnectPermit, now: Int64) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: permit.target.host, demands: permit.demands, profile: profile, now: now,
            basis: permit.basis)
    }
}

/// What the law says of an origin, and for which host.
public struct OriginVerdict {
    public let law: HandshakeVerdict
    public let target: LoadTarget
}
