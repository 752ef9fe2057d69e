/// Which TLS alert makes a client report the number that the emulated device would show. Source: coreTLS,
/// sslAlertMessage.c; docs/law/errors.md#alerts, read backwards.
public enum RefusalAlert {
    /// Stands for "send no alert, close the connection": the number that is wanted is that of a closed connection, or
    /// none that an alert can bring about.
    public static let close: UInt8 = 0

    /// The description of a fatal alert, or ``close``.
    ///
    /// - Parameter profile: whose numbers are wanted; they differ between generations.
    public static func alert(for failure: LoadFailure, on profile: OSProfile = .newest) -> UInt8 {
        switch failure {
        case .cleartext, .network, .lost, .malformedAnswer: close
        case .trust: trustRefused
        case .handshake(let failure, _): alert(for: failure, on: profile)
        }
    }

    private static func alert(for failure: HandshakeFailure, on profile: OSProfile) -> UInt8 {
        switch failure {
        // The origin's own alert gives the client the origin's own number.
        case .alertReceived(let alert): alert
        case .versionNotOffered:
            switch profile.logGeneration {
            // There it shows as -9801, which a client finds by itself.
            case .ios9, .ios10: handshakeFailure
            case .ios11, .ios12, .ios13to15, .ios16to18, .ios26, .ios27: protocolVersion
            }
        // -9801 and -9800 are found by the client itself; -9858 is the nearest that an alert can say.
        case .suiteNotOffered, .library: handshakeFailure
        case .closed, .notTLS, .timeout, .chainTooLarge: close
        }
    }

    /// -9836.
    private static let protocolVersion: UInt8 = 70
    /// -9858, -9824 before 12.
    private static let handshakeFailure: UInt8 = 40
    /// No alert stands for -9802; an unknown fatal one falls back to it (docs/law/errors.md#alerts, last rows: source,
    /// inferred). This is bad_certificate_hash_value (RFC 6066 section 9), for which Apple has no number
    /// (docs/law/errors.md#stream-codes). An unassigned alert would say the same, but OpenSSL sends none: its
    /// tls1_alert_code drops what it does not know (measured, OpenSSL 3.0).
    private static let trustRefused: UInt8 = 114
}
