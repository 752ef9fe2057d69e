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

/// The error code that a fatal alert becomes: in libboringssl, the TLS library since iOS 12, and in coreTLS before it.
/// Source: Security, SecBase.h; coreTLS, sslAlertMessage.c; docs/law/errors.md#stream-codes, docs/law/errors.md#alerts;
/// alert names from RFC 8446 section 6 and RFC 5246 section 7.2.
struct AlertStatus: Sendable {
    let alert: UInt8
    /// In the wording of TLS libraries, for example `handshake failure`.
    let name: String
    private let boringSSL: StreamStatus
    private let coreTLS: StreamStatus

    /// Returns the row of an alert; an unknown one becomes the generic -9802 (docs/law/errors.md#alerts, last rows:
    /// source, inferred).
    static func of(_ alert: UInt8) -> AlertStatus {
        table.first { $0.alert == alert }
            ?? AlertStatus(alert, "unknown", -9802, "errSSLFatalAlert", .inferred)
    }

    /// Returns number and name for findings, for example `40 (handshake failure)`.
    static func title(of alert: UInt8) -> String {
        table.first { $0.alert == alert }.map { "\(alert) (\($0.name))" } ?? "\(alert)"
    }

    /// Returns the stream code that libboringssl reports for the alert of this name; nil for an unknown name.
    static func code(ofAlertNamed name: String) -> Int? {
        table.first { $0.name.lowercased() == name.lowercased() }?.boringSSL.code
    }

    /// Returns the error code on a device. Sources disagree only on alert 40 (C14).
    func status(on device: AppleDevice) -> StreamStatus {
        guard alert == Self.handshakeFailure else { return device.isCoreTLS ? coreTLS : boringSSL }
        let status =
            switch device.readings.handshakeFailure(on: device.release) {
            case .coreTLS: coreTLS
            case .boringSSL: boringSSL
            }
        return device.generation == .ios11 ? StreamStatus(status.code, status.constant, .inferred) : status
    }

    /// - Parameter coreTLS: its error code, if that differs from libboringssl's.
    private init(
        _ alert: UInt8, _ name: String, _ code: Int, _ constant: String, _ confidence: Confidence,
        coreTLS: StreamStatus? = nil
    ) {
        self.alert = alert
        self.name = name
        boringSSL = StreamStatus(code, constant, confidence)
        self.coreTLS = coreTLS ?? StreamStatus(code, constant, .source)
    }

    private static let handshakeFailure: UInt8 = 40
    /// The error code of coreTLS for alerts that it does not know.
    private static let generic = StreamStatus(-9802, "errSSLFatalAlert", .source)

    static let table = [
        AlertStatus(
            0, "close notify", -9816, "errSSLClosedNoNotify", .inferred,
            coreTLS: StreamStatus(-9805, "errSSLClosedGraceful", .source)),
        AlertStatus(10, "unexpected message", -9819, "errSSLPeerUnexpectedMsg", .inferred),
        AlertStatus(20, "bad record mac", -9820, "errSSLPeerBadRecordMac", .inferred),
        AlertStatus(21, "decryption failed", -9821, "errSSLPeerDecryptionFail", .inferred),
        AlertStatus(22, "record overflow", -9822, "errSSLPeerRecordOverflow", .inferred),
        AlertStatus(30, "decompression failure", -9823, "errSSLPeerDecompressFail", .inferred),
        AlertStatus(
            40, "handshake failure", -9858, "errSSLHandshakeFail", .observed,
            coreTLS: StreamStatus(-9824, "errSSLPeerHandshakeFail", .observed)),
        AlertStatus(42, "bad certificate", -9825, "errSSLPeerBadCert", .inferred),
        AlertStatus(43, "unsupported certificate", -9826, "errSSLPeerUnsupportedCert", .inferred),
        AlertStatus(44, "certificate revoked", -9827, "errSSLPeerCertRevoked", .inferred),
        AlertStatus(45, "certificate expired", -9828, "errSSLPeerCertExpired", .inferred),
        AlertStatus(46, "certificate unknown", -9829, "errSSLPeerCertUnknown", .inferred),
        AlertStatus(47, "illegal parameter", -9830, "errSSLIllegalParam", .inferred),
        AlertStatus(48, "unknown CA", -9831, "errSSLPeerUnknownCA", .inferred),
        AlertStatus(49, "access denied", -9832, "errSSLPeerAccessDenied", .inferred),
        AlertStatus(50, "decode error", -9833, "errSSLPeerDecodeError", .inferred),
        AlertStatus(51, "decrypt error", -9834, "errSSLPeerDecryptError", .inferred),
        AlertStatus(60, "export restriction", -9835, "errSSLPeerExportRestriction", .inferred),
        AlertStatus(70, "protocol version", -9836, "errSSLPeerProtocolVersion", .observed),
        AlertStatus(71, "insufficient security", -9837, "errSSLPeerInsufficientSecurity", .inferred),
        AlertStatus(80, "internal error", -9838, "errSSLPeerInternalError", .inferred),
        AlertStatus(86, "inappropriate fallback", -9860, "errSSLInappropriateFallback", .inferred, coreTLS: generic),
        AlertStatus(90, "user canceled", -9839, "errSSLPeerUserCancelled", .inferred),
        AlertStatus(100, "no renegotiation", -9840, "errSSLPeerNoRenegotiation", .inferred),
        AlertStatus(109, "missing extension", -9861, "errSSLMissingExtension", .inferred, coreTLS: generic),
        AlertStatus(112, "unrecognized name", -9865, "errSSLUnrecognizedName", .inferred, coreTLS: generic),
        AlertStatus(
            113, "bad certificate status response", -9862, "errSSLBadCertificateStatusResponse", .inferred,
            coreTLS: generic),
        AlertStatus(115, "unknown PSK identity", -9864, "errSSLUnknownPSKIdentity", .inferred, coreTLS: generic),
        AlertStatus(116, "certificate required", -9863, "errSSLCertificateRequired", .inferred, coreTLS: generic),
    ]
}

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

extension AppleError {
    /// The stream code on iOS 12 and later for a TLS alert, for example -9858 for `handshake failure`; nil for an unknown
    /// name.
    public static func streamCode(ofAlertNamed name: String) -> Int? { AlertStatus.code(ofAlertNamed: name) }
}
