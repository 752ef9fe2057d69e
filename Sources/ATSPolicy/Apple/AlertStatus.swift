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

extension AppleError {
    /// The stream code on iOS 12 and later for a TLS alert, for example -9858 for `handshake failure`; nil for an unknown
    /// name.
    public static func streamCode(ofAlertNamed name: String) -> Int? { AlertStatus.code(ofAlertNamed: name) }
}
