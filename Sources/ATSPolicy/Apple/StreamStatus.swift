/// A code of kCFStreamErrorDomainSSL.
struct StreamStatus {
    /// kCFStreamErrorDomainSSL.
    static let domain = 3

    let code: Int
    let constant: String
    let confidence: Confidence

    init(_ code: Int, _ constant: String, _ confidence: Confidence) {
        self.code = code
        self.constant = constant
        self.confidence = confidence
    }

    /// Returns the code with -1202, if ATS does not insist (observed; docs/law/errors.md#by-failure). If no report
    /// shows the case, it is the closest one in docs/law/errors.md#stream-codes (inferred).
    static func laxTrust(_ rule: RuleID, on device: AppleDevice) -> StreamStatus {
        rule.consequence?.laxStatus(device) ?? otherTrust
    }

    /// For rules without a specific code.
    static let otherTrust = StreamStatus(-9807, "errSSLXCertChainInvalid", .inferred)

    /// Returns the code with -1200, if ATS insists (docs/law/errors.md#by-failure). It is the same for all rules; its
    /// certainty differs.
    static func strictTrust(_ rule: RuleID) -> StreamStatus {
        StreamStatus(-9802, "errSSLFatalAlert", rule.consequence?.strictConfidence ?? .inferred)
    }

    /// Returns the code with -1200 for a broken handshake (docs/law/errors.md#broken-handshakes,
    /// docs/law/errors.md#by-failure); nil if it is not a TLS error.
    static func handshake(_ failure: HandshakeFailure, on device: AppleDevice) -> StreamStatus? {
        switch failure {
        case .alertReceived(let alert): AlertStatus.of(alert).status(on: device)
        case .versionNotOffered: versionNotOffered(on: device)
        // Known from coreTLS (source; docs/law/errors.md#broken-handshakes); the code of libboringssl is not known.
        case .suiteNotOffered: StreamStatus(-9801, "errSSLNegotiation", device.isCoreTLS ? .source : .inferred)
        case .closed(let reset): closed(reset: reset, on: device)
        case .notTLS: StreamStatus(-9847, "errSSLRecordOverflow", .inferred)
        case .library: StreamStatus(-9800, "errSSLProtocol", .inferred)
        // nscurl of macOS 10.14.2: GitHub, OWASP/mastg issue 1121. The library before it is another.
        case .nothingToOffer: StreamStatus(-9800, "errSSLProtocol", device.isCoreTLS ? .inferred : .observedOnce)
        case .timeout, .chainTooLarge: nil
        }
    }

    /// An origin that answers with an older version instead of an alert (C7). Source for coreTLS's code: Stack Overflow
    /// 30720813, and nscurl output of 2018 that passes only with TLSv1.0; the code since then is inferred.
    private static func versionNotOffered(on device: AppleDevice) -> StreamStatus {
        switch device.generation {
        case .ios9, .ios10: StreamStatus(-9801, "errSSLNegotiation", .observed)
        case .ios11, .ios12, .ios13to15, .ios16to18, .ios26, .ios27:
            StreamStatus(-9836, "errSSLPeerProtocolVersion", .inferred)
        }
    }

    /// -9806 is the older code (observed; docs/law/errors.md#broken-handshakes, docs/law/errors.md#by-failure). It is
    /// used for iOS 9, whose lines show it (docs/console-lines.md).
    private static func closed(reset: Bool, on device: AppleDevice) -> StreamStatus {
        let confidence: Confidence = reset ? .inferred : .observed
        return switch device.generation {
        case .ios9: StreamStatus(-9806, "errSSLClosedAbort", confidence)
        case .ios10, .ios11, .ios12, .ios13to15, .ios16to18, .ios26, .ios27:
            StreamStatus(-9816, "errSSLClosedNoNotify", confidence)
        }
    }
}

/// The properties of a profile that determine codes and lines.
struct AppleDevice {
    let generation: OSProfile.LogGeneration
    /// The iOS release, or the equivalent of another system's release.
    let release: OSVersion
    let readings: AppleReadings

    init(_ profile: OSProfile, readings: AppleReadings) {
        generation = profile.logGeneration
        release = profile.release.generation
        self.readings = readings
    }

    /// True for SecureTransport and coreTLS, the predecessors of libboringssl (docs/law/errors.md#broken-handshakes).
    var isCoreTLS: Bool {
        switch generation {
        case .ios9, .ios10, .ios11: true
        case .ios12, .ios13to15, .ios16to18, .ios26, .ios27: false
        }
    }
}
