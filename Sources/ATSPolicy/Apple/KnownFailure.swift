/// A way in which a load can fail on a device, used to find possible causes of an error code.
public struct KnownFailure: Sendable {
    public let failure: LoadFailure
    /// A short description for users. Failures of the same kind share it.
    public let what: String
    /// The member of that kind, for example the alert; nil for the only one.
    public let detail: String?
    /// The rules whose findings indicate this failure.
    public let rules: [RuleID]

    private init(_ failure: LoadFailure, _ what: String, detail: String? = nil, _ rules: RuleID...) {
        self.failure = failure
        self.what = what
        self.detail = detail
        self.rules = rules
    }

    /// Every failure for which a device has an error (docs/law/errors.md#by-failure).
    public static let all =
        [KnownFailure(.cleartext, "an http load that ATS blocks", .cleartextLoad)]
        + RuleBook.standard.rules.flatMap(broken) + handshakes + AlertStatus.table.map(alert) + connections

    /// Returns the failures caused by a breach of a rule.
    private static func broken(_ rule: Rule) -> [KnownFailure] {
        let strict = "a bad certificate on a host where ATS is on"
        let lax = "a bad certificate on a host where ATS is off or relaxed"
        switch rule.consequence.breach {
        case .handshake(let failure):
            let what = "a handshake without a common TLS version or cipher suite"
            return [KnownFailure(.handshake(failure, rule: rule.id), what, rule.id)]
        case .identity: return [KnownFailure(.trust(rule.id, isStrict: true), strict, rule.id)]
        case .certificate:
            return [
                KnownFailure(.trust(rule.id, isStrict: true), strict, rule.id),
                KnownFailure(.trust(rule.id, isStrict: false), lax, rule.id),
            ]
        }
    }

    private static func alert(_ status: AlertStatus) -> KnownFailure {
        KnownFailure(
            .handshake(.alertReceived(status.alert), rule: nil), "a TLS alert from the server",
            detail: AlertStatus.title(of: status.alert), .tlsAlert)
    }

    private static let handshakes = [
        KnownFailure(
            .handshake(.versionNotOffered, rule: nil), "a server that answers with an older TLS version", .tlsVersion,
            .osTLSFloor),
        KnownFailure(
            .handshake(.suiteNotOffered, rule: nil), "a server that chooses a cipher suite that was not offered",
            .cipherSuite, .tlsAlert),
        KnownFailure(
            .handshake(.closed(reset: false), rule: nil), "a server that closes the connection in the TLS handshake",
            .tlsClosed),
        KnownFailure(.handshake(.notTLS([]), rule: nil), "a server that does not answer with TLS", .tlsNotTLS),
        KnownFailure(.handshake(.library(0), rule: nil), "a handshake that breaks the protocol", .tlsAlert),
        KnownFailure(.handshake(.timeout, rule: nil), "a TLS handshake that is never answered", .tlsTimeout),
        KnownFailure(.trust(.appPin, isStrict: false), "a certificate that the app's own code rejects", .appPin),
    ]

    private static let connections = [
        KnownFailure(.network(.name(code: 0)), "a host name without an address", .netName),
        KnownFailure(.network(.refused), "a port that refuses the connection", .netRefused),
        KnownFailure(.network(.timeout), "a connection that is never answered", .netTimeout),
        KnownFailure(.lost(LostConnection(.timeout, answerBegan: false)), "a response that never arrives", .netTimeout),
        KnownFailure(
            .lost(LostConnection(.closed, answerBegan: false)), "a connection that closes without a response",
            .netReset),
        KnownFailure(
            .lost(LostConnection(.reset, answerBegan: false)), "a server that resets the connection", .netReset),
        KnownFailure(
            .lost(LostConnection(.alert(116), clientCertificate: .asked, answerBegan: false)),
            "a server that requests a client certificate and gets none", .tlsAlert, .tlsClosed, .netReset),
        KnownFailure(
            .lost(LostConnection(.alert(42), clientCertificate: .sent, answerBegan: false)),
            "a server that rejects the client's certificate", .tlsAlert),
        KnownFailure(.malformedAnswer, "a response that is not HTTP", .httpMalformed),
    ]
}
