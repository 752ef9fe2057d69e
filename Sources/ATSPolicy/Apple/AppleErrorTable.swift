/// The errors and console lines of each log generation for each kind of failure. Source: Apple, NSURLErrorDomain;
/// Security, SecBase.h; coreTLS, sslAlertMessage.c; docs/law/errors.md, docs/console-lines.md. If no known log has a
/// line for a case, the log is empty.
public enum AppleErrorTable {
    /// Returns the error that an app would get, and the lines that the console would show.
    ///
    /// - Parameter urlText: the URL to show, already masked.
    /// - Parameter facts: contains the certificates for the error, if the handshake got that far.
    public static func error(
        for failure: LoadFailure, target: LoadTarget, urlText: String, profile: OSProfile, facts: HandshakeFacts?,
        identifiers: LogIdentifiers, readings: AppleReadings = AppleReadings()
    ) -> AppleError {
        let console = AppleConsole(
            target: target, urlText: urlText, device: AppleDevice(profile, readings: readings),
            identifiers: identifiers)
        return switch failure {
        case .cleartext: console.cleartext()
        case .trust(.appPin, _): console.cancelled()
        case .trust(let rule, let isStrict) where isStrict || rule.consequence?.breach == .identity:
            console.strictTrust(rule, facts: facts)
        case .trust(let rule, _): console.laxTrust(rule, facts: facts)
        case .handshake(let failure, let rule): console.handshake(failure, rule: rule, facts: facts)
        case .network(let failure): console.network(failure)
        case .lost(let connection): console.lost(connection)
        case .malformedAnswer: console.malformedAnswer()
        }
    }
}

/// Error codes on which the sources disagree, and variants of lines. nil selects the release's code, as in most of the
/// logs that were found.
public struct AppleReadings: Sendable, Hashable {
    /// C14: the error code for alert 40.
    public enum HandshakeFailure: Int, Sendable, Hashable, CaseIterable {
        /// The code of coreTLS (source).
        case coreTLS = 9_824
        /// The code of libboringssl (observed).
        case boringSSL = 9_858
    }

    /// C15: the error code for an untrusted root that the server sends, if ATS does not insist.
    public enum UntrustedRoot: Int, Sendable, Hashable, CaseIterable {
        /// GitHub, ably/ably-cocoa issue 80 (iOS 9), SwiftFM issue 3 (2021).
        case invalidChain = 9_807
        /// GitHub, amazon-archives/aws-mobile-react-native-starter issue 54 (iOS 11), and logs of 13.
        case missingRoot = 9_813
    }

    /// -9858 since 12, -9824 before; 11 is unclear (C14, observed).
    public var handshakeFailure: HandshakeFailure?
    /// -9813 unless set (C15).
    public var untrustedRoot: UntrustedRoot?

    /// Variants to show on the releases that have them.
    public var variants: Set<ConsoleVariant>

    public init(
        handshakeFailure: HandshakeFailure? = nil, untrustedRoot: UntrustedRoot? = nil,
        variants: Set<ConsoleVariant> = []
    ) {
        self.handshakeFailure = handshakeFailure
        self.untrustedRoot = untrustedRoot
        self.variants = variants
    }

    /// Returns the error code for alert 40 on a release.
    func handshakeFailure(on release: OSVersion) -> HandshakeFailure {
        handshakeFailure ?? (release < OSVersion(12) ? .coreTLS : .boringSSL)
    }
}

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
