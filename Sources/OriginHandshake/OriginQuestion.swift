public import ATSPolicy
public import TLSEngine

/// The offer of a handshake, and the rules that judge its result.
public struct OriginQuestion {
    /// Offer, demands and basis of the ruling.
    public var permit: ConnectPermit
    /// The permit of a second host that the origin must satisfy too.
    public var secondPermit: ConnectPermit?
    /// Sent as SNI unless it is an address; empty sends no SNI.
    public var serverName: String
    /// Sends the server name byte for byte, even if it is not a valid host name.
    public var isNameVerbatim = false
    /// Protocols in order of preference; empty offers none.
    public var alpn: [String]
    public var profile: OSProfile
    public var trust: TrustStore
    public var appTrust: AppTrust
    /// The certificate for origins that request one.
    public var identity: ClientIdentity?
    /// Audit mode: an origin that a device would refuse passes, together with the verdict.
    public var isAudited = false
    /// Waits for the origin's first bytes after a TLS 1.3 handshake with a certificate request: only they show whether
    /// it accepts the client's certificate (RFC 8446 section 4.4.2.4). A load would show it anyway.
    public var awaitsClientCertificateResult = false

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

    /// The emulated device's offer, or the diagnostic offer if it has none.
    public var offer: TLSOffer {
        let own = permit.offer ?? .diagnostic
        return secondPermit?.offer.map { own.narrowed(to: $0) } ?? own
    }

    /// Returns the verdict on a finished handshake; with two hosts the stricter verdict.
    public func verdict(on facts: HandshakeFacts, now: Int64) -> OriginVerdict {
        let first = verdict(on: facts, under: permit, now: now)
        guard let secondPermit else { return first }
        let second = verdict(on: facts, under: secondPermit, now: now)
        // If both complain, use the second: its host is the one that the client named.
        if second.law.failure != nil { return second }
        return first.law.findings.isEmpty && first.law.failure == nil ? second : first
    }

    /// Returns the system's verdict, as changed by the app's own trust code.
    private func verdict(on facts: HandshakeFacts, under permit: ConnectPermit, now: Int64) -> OriginVerdict {
        let handshake = handshakeCase(facts, under: permit, now: now)
        return OriginVerdict(
            law: appTrust.judge(RuleBook.standard.judge(handshake), of: handshake), target: permit.target)
    }

    /// Returns the verdict on an origin that ended the connection after its certificate request was answered.
    func verdict(on lost: LostConnection, after facts: HandshakeFacts, now: Int64) -> OriginVerdict {
        let shown = verdict(on: facts, now: now)
        return OriginVerdict(
            law: RuleBook.standard.judge(lost, by: shown.target.host, after: shown.law), target: shown.target)
    }

    /// Returns the verdict on a broken handshake. `facts` has what the origin accepted in the diagnosis, if anything.
    func verdict(on failure: HandshakeFailure, facts: HandshakeFacts?, now: Int64) -> OriginVerdict {
        let first = verdict(on: failure, facts: facts, under: permit, now: now)
        guard let secondPermit, first.law.failure?.isBlockedByRules != true else { return first }
        let second = verdict(on: failure, facts: facts, under: secondPermit, now: now)
        return second.law.failure?.isBlockedByRules == true ? second : first
    }

    private func verdict(
        on failure: HandshakeFailure, facts: HandshakeFacts?, under permit: ConnectPermit, now: Int64
    ) -> OriginVerdict {
        let law = RuleBook.standard.judge(
            failure, diagnosis: facts.map { handshakeCase($0, under: permit, now: now) }, target: permit.target,
            basis: permit.basis, demands: permit.demands, offer: offer, profile: profile)
        return OriginVerdict(law: law, target: permit.target)
    }

    /// The handshake's facts, with its certificate's names checked for the judged hosts.
    func facts(of tls: TLSMachine) -> HandshakeFacts? {
        tls.facts(trust: trust, for: [permit.target.host, serverName] + (secondPermit.map { [$0.target.host] } ?? []))
    }

    private func handshakeCase(_ facts: HandshakeFacts, under permit: ConnectPermit, now: Int64) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: permit.target.host, demands: permit.demands, profile: profile, now: now,
            basis: permit.basis)
    }
}

/// The verdict on an origin, with the target that it is for.
public struct OriginVerdict {
    public let law: HandshakeVerdict
    public let target: LoadTarget
}
