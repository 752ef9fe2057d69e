import ATSPolicy
public import TLSEngine

/// TLS towards origins as one event loop keeps it: a context for each offer, and the sessions that may be resumed.
public final class OriginTLS {
    private let keyLog: KeyLog?
    private var contexts: [TLSOffer: OriginTLSContext] = [:]
    private var sessions = OriginSessions()

    /// - Parameter keyLog: gets the secrets of origin connections.
    public init(keyLog: KeyLog? = nil) {
        self.keyLog = keyLog
    }

    /// Under another law a handshake has to show itself anew.
    public func forgetSessions() { sessions = OriginSessions() }

    /// One OpenSSL context per offer: making one costs far more than a connection.
    func context(for offer: TLSOffer) throws(TLSSetupError) -> OriginTLSContext {
        if let known = contexts[offer] { return known }
        let made = try OriginTLSContext(offer: offer, keyLog: keyLog)
        contexts[offer] = made
        return made
    }

    /// - Parameter now: seconds since 1970-01-01 UTC.
    func memory(of target: LoadTarget, now: Int64) -> OriginMemory {
        OriginMemory(sessions, origin: target.origin, now: now)
    }
}
