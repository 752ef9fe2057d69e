public import ATSPolicy
import Bytes
import Records
public import TLSEngine

/// What the sessions of one loop share: the law in force, the mints, the TLS settings. Belongs to that loop.
public final class LoopContext {
    /// Replaced as a whole by a reload; loads that have begun keep the law they began under.
    public var policy: GatePolicy {
        // Under another law a handshake has to show itself anew.
        didSet { originSessions = OriginSessions() }
    }

    let mint: LeafMint
    let untrustedMint: LeafMint
    let mirrorMint: MirrorMint
    let clientContext: ClientTLSContext
    let redirects: RedirectTrail
    private let keyLog: KeyLog?
    /// Fresh identifiers for Apple-style lines.
    let identifiers: () -> LogIdentifiers
    /// Empty between two calls: where sessions put plaintext together before it is encrypted.
    let scratch = ByteQueue()
    /// What origins have offered to resume, under the law in force.
    private(set) var originSessions = OriginSessions()
    private var originContexts: [TLSOffer: OriginTLSContext] = [:]
    private var remembered: [OriginLink.Key: RememberedVerdict] = [:]

    /// - Parameters:
    ///   - authority: signs the leafs that clients are to trust.
    ///   - untrusted: signs the leafs of refusals; nobody trusts it.
    ///   - redirects: shared by the desks of a gate.
    ///   - keyLog: gets the secrets of origin connections; those of clients are the client context's own matter.
    public init(
        policy: GatePolicy, authority: CertificateAuthority, untrusted: CertificateAuthority,
        clientContext: ClientTLSContext, redirects: RedirectTrail = RedirectTrail(), keyLog: KeyLog? = nil,
        identifiers: @escaping () -> LogIdentifiers
    ) {
        self.policy = policy
        mint = LeafMint(authority: authority)
        let untrustedMint = LeafMint(authority: untrusted)
        self.untrustedMint = untrustedMint
        mirrorMint = MirrorMint(authority: authority, untrusted: untrustedMint)
        self.redirects = redirects
        self.keyLog = keyLog
        self.clientContext = clientContext
        self.identifiers = identifiers
    }

    /// One OpenSSL context per offer: making one costs far more than a connection.
    func originContext(for offer: TLSOffer) throws(TLSSetupError) -> OriginTLSContext {
        if let known = originContexts[offer] { return known }
        let made = try OriginTLSContext(offer: offer, keyLog: keyLog)
        originContexts[offer] = made
        return made
    }

    /// The verdict that an earlier handshake with this origin led to, if it is young enough.
    func recall(_ key: OriginLink.Key, under system: SystemPolicy, at now: Int64) -> RememberedVerdict? {
        // A clock that was set back must not keep a verdict alive.
        guard let known = remembered[key], 0..<Self.memorySeconds ~= now - known.unixSeconds else { return nil }
        return known.system === system ? known : nil
    }

    func remember(_ verdict: RememberedVerdict, for key: OriginLink.Key) {
        if remembered.count >= Self.memoryLimit { remembered.removeAll(keepingCapacity: true) }
        remembered[key] = verdict
    }

    /// Origins whose verdict is remembered at most.
    private static let memoryLimit = 4_096
    /// Seconds for which a verdict on a host that is passed through holds without a new handshake.
    private static let memorySeconds: Int64 = 300
}

/// What a handshake of the gate's own said about a host that is passed through.
struct RememberedVerdict {
    let card: OriginCard
    let diagnosis: DiagnosisCard?
    let failure: LoadFailure?
    let remark: DiagnosisCard?
    let unixSeconds: Int64
    let system: SystemPolicy
}
