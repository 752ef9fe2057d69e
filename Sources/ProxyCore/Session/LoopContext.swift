public import ATSPolicy
import Bytes
import OriginHandshake
import Records
public import TLSEngine

/// Shared by the sessions of one loop: the policy in force, the mints, the TLS settings. Belongs to that loop.
public final class LoopContext {
    /// The policy in force. A reload replaces it as a whole; loads keep the policy that they started under.
    // Unchecked: only whole reads and writes of a reference; `didSet` runs after the write.
    @exclusivity(unchecked) public var policy: GatePolicy {
        // Rulings and verdicts of the old policy are not valid under the new one.
        didSet {
            rulings = RulingMemory()
            remembered.removeAll()
        }
    }

    /// Rulings of the policy in force.
    var rulings = RulingMemory()
    /// The meanings of hellos.
    var hellos = HelloMemory()

    let mint: LeafMint
    let refusalMint: RefusalMint
    let mirrorMint: MirrorMint
    let clientContext: ClientTLSContext
    let redirects: RedirectTrail
    let pinning: PinningWatch
    let proxies: ProxyWatch
    /// TLS contexts for origins.
    let origins: OriginTLS
    /// The bytes that wait for slow readers; updated by ProxyServer.
    public let outboxes: OutboxBudget
    /// Fresh identifiers for Apple-style lines.
    let identifiers: () -> LogIdentifiers
    /// The gate's own pages; nil for none.
    public var ownSite: OwnSite?
    /// Scratch buffer for plaintext; empty when no session code runs.
    let scratch = ByteQueue()
    private var remembered = WeighedCache<JudgedOrigin, RememberedOrigin>(
        .verdicts, limit: 4 << 20, count: LoopContext.memoryLimit)

    /// - Parameters:
    ///   - authority: signs the leafs that clients should trust.
    ///   - untrusted: signs the leafs of refusals; no client trusts it.
    ///   - memory: shared by the loops of a gate.
    ///   - keyLog: receives the secrets of origin connections; the client context has its own.
    ///   - outboxes: the default does not limit the number of slow readers.
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
        proxies = memory.proxies
        origins = OriginTLS(keyLog: keyLog)
        self.clientContext = clientContext
        self.outboxes = outboxes
        self.identifiers = identifiers
    }

    /// The result of an earlier handshake with this origin, if it is recent enough.
    func recall(_ key: JudgedOrigin, for ruled: TargetRuling, at now: Int64) -> MetOrigin? {
        // If the clock was set back, the verdict must not live longer.
        guard let known = remembered.value(for: key), 0..<Self.memorySeconds ~= now - known.unixSeconds else {
            return nil
        }
        return known.ruled.isEquivalent(to: ruled) ? known.met : nil
    }

    /// - Parameter ruled: the ruling that the origin was judged by.
    func remember(_ met: MetOrigin, for key: JudgedOrigin, by ruled: TargetRuling, at now: Int64) {
        remembered.keep(
            RememberedOrigin(met: met.remembered, unixSeconds: now, ruled: ruled), for: key,
            bytes: met.recorded.bytes + (met.remark?.bytes ?? 0) + (key.serverName.text?.utf8.count ?? 0) + 1_024)
    }

    /// The maximum number of origins with a remembered verdict.
    private static let memoryLimit = 4_096
    /// The seconds for which the verdict on a passthrough host is valid without a new handshake.
    private static let memorySeconds: Int64 = 300
}

/// State shared by the loops of a gate.
public struct GateMemory: Sendable {
    let redirects: RedirectTrail
    let pinning: PinningWatch
    let proxies = ProxyWatch()

    public init(redirects: RedirectTrail = RedirectTrail(), pinning: PinningWatch = PinningWatch()) {
        self.redirects = redirects
        self.pinning = pinning
    }
}

/// The dialed address, the judged host, and the server name in the hello, byte for byte. A server may answer
/// differently for each.
struct JudgedOrigin: Hashable {
    let dialed: OriginLink.Key
    let judged: OriginLink.Key
    let serverName: ServerName

    /// Hashes only the parts that usually differ.
    func hash(into hasher: inout Hasher) {
        hasher.combine(dialed.target)
        hasher.combine(serverName)
    }
}

/// The origin of a passthrough host, met by the gate's own handshake.
private struct RememberedOrigin {
    let met: MetOrigin
    let unixSeconds: Int64
    let ruled: TargetRuling
}

/// The bytes of one loop that are held for clients and origins, and their limit: outboxes, queued bodies, and heads of
/// open requests, in HTTP/1 and HTTP/2 alike.
///
/// Each reader may hold its usual number of bytes, scaled by the free part of the whole. So when many readers are slow,
/// each gets less, and all of them stay below the whole. Source: Choudhury and Hahne, "Dynamic queue length thresholds for
/// shared-memory packet switches", IEEE/ACM Transactions on Networking 6(2), 1998.
public final class OutboxBudget {
    /// Bytes that readers have not taken.
    public private(set) var held = 0
    private let bytes: Int

    /// - Parameter bytes: the limit for all readers together.
    public init(bytes: Int = .max) {
        self.bytes = max(bytes, 1)
    }

    /// Updates the bytes that are held for one connection.
    public func note(from before: Int, to now: Int) { held += now - before }

    /// True if no new load may start, and the connection that has been stalled longest must end.
    public var isSpent: Bool { held > bytes }

    /// The bytes that may be held for one reader before its writer is paused.
    ///
    /// - Parameter usual: the limit while no reader is slow.
    func highWater(usual: Int) -> Int { max(share(of: usual), min(usual, Self.least)) }

    /// True if one HTTP/2 client holds more than its share, so that its peers get no further window.
    func isShort(holding count: Int) -> Bool { count > share(of: Self.streamBytes) }

    private func share(of usual: Int) -> Int {
        guard held > 0, bytes < .max else { return usual }
        return min(usual, Int(Double(usual) * Double(max(0, bytes - held)) / Double(bytes)))
    }

    /// One TLS record (RFC 8446 section 5.1): with less, each system call would write only a few bytes.
    private static let least = 16_384
    /// The bytes that one HTTP/2 client may hold on all its streams while no reader is slow: as many as one stream of an
    /// HTTP/1.1 origin may.
    private static let streamBytes = 262_144
}
