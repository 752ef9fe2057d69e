public import ATSPolicy
import Bytes
import OriginHandshake
import Records
public import TLSEngine

/// What the sessions of one loop share: the law in force, the mints, the TLS settings. Belongs to that loop.
public final class LoopContext {
    /// Replaced as a whole by a reload; loads that have begun keep the law they began under.
    // Unchecked: a reference that is loaded, or stored, as a whole; `didSet` runs after the store.
    @exclusivity(unchecked) public var policy: GatePolicy {
        // Under another law a handshake has to show itself anew.
        didSet {
            origins.forgetSessions()
            candidates = CandidateMemory()
            rulings = RulingMemory()
            remembered.removeAll()
        }
    }

    /// What the law in force said of loads.
    var rulings = RulingMemory()

    /// What other dictionaries say of loads.
    var candidates = CandidateMemory()

    let mint: LeafMint
    let refusalMint: RefusalMint
    let mirrorMint: MirrorMint
    let clientContext: ClientTLSContext
    let redirects: RedirectTrail
    let pinning: PinningWatch
    /// TLS towards origins, with what may be resumed under the policy in force.
    let origins: OriginTLS
    /// What waits in front of slow readers; ProxyServer, which sees it, keeps it up to date.
    public let outboxes: OutboxBudget
    /// Fresh identifiers for Apple-style lines.
    let identifiers: () -> LogIdentifiers
    /// Pages of the gate's own; nil for none.
    public var ownSite: OwnSite?
    /// Empty between two calls: where sessions put plaintext together before it is encrypted.
    let scratch = ByteQueue()
    private var remembered = WeighedCache<JudgedOrigin, RememberedVerdict>(
        .verdicts, limit: 4 << 20, count: LoopContext.memoryLimit)

    /// - Parameters:
    ///   - authority: signs the leafs that clients are to trust.
    ///   - untrusted: its key signs the leafs of refusals; nobody trusts it.
    ///   - memory: shared by the loops of a gate.
    ///   - keyLog: gets the secrets of origin connections; those of clients are the client context's own matter.
    ///   - outboxes: without another one, any number of slow readers may have their usual bytes.
    public init(
        policy: GatePolicy, authority: CertificateAuthority, untrusted: CertificateAuthority,
        clientContext: ClientTLSContext, memory: GateMemory = GateMemory(), keyLog: KeyLog? = nil,
        outboxes: OutboxBudget = OutboxBudget(), identifiers: @escaping () -> LogIdentifiers
    ) {
        self.policy = policy
        mint = LeafMint(authority: authority)
        refusalMint = RefusalMint(authority: untrusted)
        mirrorMint = MirrorMint(authority: authority, refusals: refusalMint)
        redirects = memory.redirects
        pinning = memory.pinning
        origins = OriginTLS(keyLog: keyLog)
        self.clientContext = clientContext
        self.outboxes = outboxes
        self.identifiers = identifiers
    }

    /// The verdict that an earlier handshake with this origin led to, if it is young enough.
    func recall(_ key: JudgedOrigin, for ruled: TargetRuling, at now: Int64) -> RememberedVerdict? {
        // A clock that was set back must not keep a verdict alive.
        guard let known = remembered.value(for: key), 0..<Self.memorySeconds ~= now - known.unixSeconds else {
            return nil
        }
        return known.ruled.asksTheSame(as: ruled) ? known : nil
    }

    func remember(_ verdict: RememberedVerdict, for key: JudgedOrigin) {
        remembered.keep(verdict, for: key, bytes: verdict.bytes + (key.serverName.text?.utf8.count ?? 0))
    }

    /// Origins whose verdict is remembered at most.
    private static let memoryLimit = 4_096
    /// Seconds for which a verdict on a host that is passed through holds without a new handshake.
    private static let memorySeconds: Int64 = 300
}

/// What the loops of a gate remember together.
public struct GateMemory: Sendable {
    let redirects: RedirectTrail
    let pinning: PinningWatch

    public init(redirects: RedirectTrail = RedirectTrail(), pinning: PinningWatch = PinningWatch()) {
        self.redirects = redirects
        self.pinning = pinning
    }
}

/// An address that was dialed, the host that it was judged for, and the name in the hello, byte for byte: a server may
/// be another one for each.
struct JudgedOrigin: Hashable {
    let dialed: OriginLink.Key
    let judged: OriginLink.Key
    /// For another host that its client named.
    let alsoJudged: OriginLink.Key?
    let serverName: ServerName

    /// Of what differs mostly.
    func hash(into hasher: inout Hasher) {
        hasher.combine(dialed.target)
        hasher.combine(serverName)
    }
}

/// What a handshake of the gate's own said about a host that is passed through.
struct RememberedVerdict {
    enum Verdict {
        case passed(remark: RecordedDiagnosis?)
        case refused(LoadFailure, RecordedDiagnosis, of: LoadTarget)
    }

    let origin: RecordedOrigin
    let verdict: Verdict
    let unixSeconds: Int64
    /// What it was judged by.
    let ruled: TargetRuling

    /// About.
    var bytes: Int {
        let diagnosis =
            switch verdict {
            case .passed(let remark): remark
            case .refused(_, let diagnosis, _): diagnosis
            }
        return origin.bytes + (diagnosis?.bytes ?? 0) + 512
    }
}
