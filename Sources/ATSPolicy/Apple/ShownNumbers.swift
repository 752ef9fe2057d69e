/// The error codes that an app sees if the gate makes its load fail. Source: docs/law/refusals.md#styles,
/// docs/law/errors.md#proxies.
public struct ShownNumbers: Sendable, Hashable {
    public let code: Int
    /// Of kCFStreamErrorDomainSSL; of domain 4 with 310.
    public let streamErrorCode: Int?

    /// A certificate with an untrusted issuer.
    ///
    /// - Parameter isStrict: true if ATS insists, so that the app's code cannot accept it.
    public static func untrustedLeaf(
        isStrict: Bool, on profile: OSProfile, readings: AppleReadings = AppleReadings()
    ) -> ShownNumbers {
        let device = AppleDevice(profile, readings: readings)
        let status =
            isStrict ? StreamStatus.strictTrust(.untrustedRoot) : StreamStatus.laxTrust(.untrustedRoot, on: device)
        return ShownNumbers(code: isStrict ? -1200 : -1202, streamErrorCode: status.code)
    }

    /// A fatal alert in the handshake.
    public static func alert(
        _ alert: UInt8, on profile: OSProfile, readings: AppleReadings = AppleReadings()
    ) -> ShownNumbers {
        handshake(.alertReceived(alert), on: profile, readings: readings)
    }

    /// A connection that ends in the handshake.
    public static func close(on profile: OSProfile) -> ShownNumbers {
        handshake(.closed(reset: false), on: profile, readings: AppleReadings())
    }

    /// kCFErrorHTTPSProxyConnectionFailure of kCFErrorDomainCFNetwork: a CONNECT that was not answered with 200.
    public static let refusedTunnel = ShownNumbers(code: 310, streamErrorCode: -2096)

    private static func handshake(
        _ failure: HandshakeFailure, on profile: OSProfile, readings: AppleReadings
    ) -> ShownNumbers {
        let status = StreamStatus.handshake(failure, on: AppleDevice(profile, readings: readings))
        return ShownNumbers(code: -1200, streamErrorCode: status?.code)
    }
}
