import ATSPolicy
public import TLSEngine

/// The TLS contexts for origins of one event loop. Each offer has its own.
public final class OriginTLS {
    private let keyLog: KeyLog?
    private var contexts: [TLSOffer: OriginTLSContext] = [:]

    /// - Parameter keyLog: receives the secrets of origin connections.
    public init(keyLog: KeyLog? = nil) {
        self.keyLog = keyLog
    }

    /// The OpenSSL context for an offer. Contexts are cached: making one costs far more than a connection.
    func context(for offer: TLSOffer) throws(TLSSetupError) -> OriginTLSContext {
        if let known = contexts[offer] { return known }
        let made = try OriginTLSContext(offer: offer, keyLog: keyLog)
        contexts[offer] = made
        return made
    }
}
