public import ATSPolicy
public import TLSEngine

/// The offer of a handshake, and the rules that judge its result.
public struct OriginQuestion {
    /// Offer, demands and basis of the ruling.
    public var permit: ConnectPermit
    /// Sent as SNI unless it is an address; empty sends no SNI.
    public var serverName: String
    /// Sends the server name byte for byte, even if it is not a valid host name.
    public var isNameVerbatim = false
    /// Protocols in order of preference; empty offers none.
    public var alpn: [String]
    public var profile: OSProfile
    public var trust: TrustStore
    public var appTrust: AppTrust
    /// Recognizes a proxy that answers instead of the origin; nil judges each certificate as the origin's.
    public var proxies: ProxyWatch?
    /// The handling of such an origin.
    public var decrypted = DecryptedOrigins.infer
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
    public var offer: TLSOffer { permit.offer ?? .diagnostic }

    /// Returns the system's verdict on a finished handshake, as changed by the app's own trust code.
    public func verdict(on facts: HandshakeFacts, now: Int64) -> HandshakeVerdict {
        let handshake = handshakeCase(facts, now: now)
        return unlessDecrypted(facts, appTrust.judge(RuleBook.standard.judge(handshake), of: handshake))
    }

    /// Returns the verdict on an origin that ended the connection after its certificate request was answered.
    func verdict(on lost: LostConnection, after facts: HandshakeFacts, now: Int64) -> HandshakeVerdict {
        RuleBook.standard.judge(lost, by: permit.target.host, after: verdict(on: facts, now: now))
    }

    /// Returns the verdict on a broken handshake. `facts` has what the origin accepted in the diagnosis, if anything.
    func verdict(on failure: HandshakeFailure, facts: HandshakeFacts?, now: Int64) -> HandshakeVerdict {
        let verdict = RuleBook.standard.judge(
            failure, diagnosis: facts.map { handshakeCase($0, now: now) }, target: permit.target,
            basis: permit.basis, demands: permit.demands, offer: offer, profile: profile)
        return facts.map { unlessDecrypted($0, verdict) } ?? verdict
    }

    /// The verdict, unless a proxy hides the origin.
    private func unlessDecrypted(_ facts: HandshakeFacts, _ verdict: HandshakeVerdict) -> HandshakeVerdict {
        guard let proxy = proxies?.proxy(in: facts, of: permit.target.host, decrypted) else { return verdict }
        return .decrypted(by: proxy, judged: verdict)
    }

    /// The handshake's facts, with its certificate's names checked for the judged host and the name sent, and with the
    /// path that the device would use.
    func facts(of tls: TLSMachine, now: Int64) -> HandshakeFacts? {
        let facts = tls.facts(trust: trust, for: [permit.target.host, serverName])
        guard let facts, !facts.otherPaths.isEmpty else { return facts }
        return handshakeCase(facts, now: now).facts
    }

    private func handshakeCase(_ facts: HandshakeFacts, now: Int64) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: permit.target.host, demands: permit.demands, profile: profile, now: now,
            basis: permit.basis)
    }
}
