import ATSPolicy
public import TLSEngine

/// The TLS contexts and resumable sessions for origins of one event loop. Each offer has its own context.
public final class OriginTLS {
    private let keyLog: KeyLog?
    private var contexts: [TLSOffer: OriginTLSContext] = [:]
    private var sessions = OriginSessions()

    /// - Parameter keyLog: receives the secrets of origin connections.
    public init(keyLog: KeyLog? = nil) {
        self.keyLog = keyLog
    }

    /// Forgets the sessions, because a new policy requires new handshakes.
    public func forgetSessions() { sessions = OriginSessions() }

    /// The OpenSSL context for an offer. Contexts are cached: making one costs far more than a connection.
    func context(for offer: TLSOffer) throws(TLSSetupError) -> OriginTLSContext {
        if let known = contexts[offer] { return known }
        let made = try OriginTLSContext(offer: offer, keyLog: keyLog)
        contexts[offer] = made
        return made
    }

    /// - Parameter now: seconds since 1970-01-01 UTC.
    func memory(of target: LoadTarget, now: Int64) -> SessionScope {
        SessionScope(sessions, origin: target.origin, now: now)
    }
}
