/// Selects the TLS alert that makes a client report the error code of the emulated device. Source: coreTLS,
/// sslAlertMessage.c; docs/law/errors.md#alerts, read in reverse.
public enum RefusalAlert {
    /// Means "send no alert, close the connection": the intended code is the one for a closed connection, or no alert
    /// can cause it.
    public static let close: UInt8 = 0

    /// Returns the description of a fatal alert, or ``close``.
    ///
    /// - Parameter profile: the release whose codes to use; they differ between releases.
    public static func alert(for failure: LoadFailure, on profile: OSProfile = .newest) -> UInt8 {
        switch failure {
        case .cleartext, .network, .lost, .malformedAnswer: close
        case .trust: trustRefused
        case .handshake(let failure, _): alert(for: failure, on: profile)
        }
    }

    private static func alert(for failure: HandshakeFailure, on profile: OSProfile) -> UInt8 {
        switch failure {
        // The origin's own alert causes the same code in the client.
        case .alertReceived(let alert): alert
        case .versionNotOffered:
            switch profile.logGeneration {
            // These releases report -9801, which no alert causes; the client detects the error itself.
            case .ios9, .ios10: handshakeFailure
            case .ios11, .ios12, .ios13to15, .ios16to18, .ios26, .ios27: protocolVersion
            }
        // The client itself detects the errors that cause -9801 and -9800; -9858 is the closest code that an alert can
        // cause.
        case .suiteNotOffered, .library, .nothingToOffer: handshakeFailure
        case .closed, .notTLS, .timeout, .chainTooLarge: close
        }
    }

    /// Causes -9836.
    private static let protocolVersion: UInt8 = 70
    /// Causes -9858, or -9824 before 12.
    private static let handshakeFailure: UInt8 = 40
    /// No alert means -9802, but an unknown fatal alert falls back to it (docs/law/errors.md#alerts, last rows: source,
    /// inferred). This one is bad_certificate_hash_value (RFC 6066 section 9), for which Apple has no code
    /// (docs/law/errors.md#stream-codes). An unassigned alert would have the same effect, but OpenSSL cannot send one:
    /// its tls1_alert_code drops unknown alerts (measured, OpenSSL 3.0).
    private static let trustRefused: UInt8 = 114
}
