/// One way in which a load can end on a device, so that a number can be traced back to what may have caused it.
public struct KnownFailure: Sendable {
    public let failure: LoadFailure
    /// What happens, for people. Failures of a kind share it.
    public let what: String
    /// Which of that kind, for example the alert; nil for the only one.
    public let detail: String?
    /// The rules whose findings tell this failure here.
    public let rules: [RuleID]

    private init(_ failure: LoadFailure, _ what: String, detail: String? = nil, _ rules: RuleID...) {
        self.failure = failure
        self.what = what
        self.detail = detail
        self.rules = rules
    }

    /// Every failure that has an error of a device (docs/law/errors.md#by-failure).
    public static let all =
        [KnownFailure(.cleartext, "an http load that ATS denies", .cleartextLoad)]
        + RuleBook.standard.rules.flatMap(broken) + handshakes + AlertStatus.table.map(alert) + connections

    /// What breaks a rule of the book.
    private static func broken(_ rule: Rule) -> [KnownFailure] {
        let strict = "a certificate that is refused, and ATS insists"
        let lax = "a certificate that is refused, and ATS does not insist"
        switch rule.consequence.breach {
        case .handshake(let failure):
            let what = "a handshake without a version or a suite that both sides take"
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
            .handshake(.alertReceived(status.alert), rule: nil), "a TLS alert of the server",
            detail: AlertStatus.title(of: status.alert), .tlsAlert)
    }

    private static let handshakes = [
        KnownFailure(
            .handshake(.versionNotOffered, rule: nil), "a server that answers with an older TLS version", .tlsVersion,
            .osTLSFloor),
        KnownFailure(
            .handshake(.suiteNotOffered, rule: nil), "a server that chooses a suite that was not offered",
            .cipherSuite, .tlsAlert),
        KnownFailure(
            .handshake(.closed(reset: false), rule: nil), "a server that ends the connection in the TLS handshake",
            .tlsClosed),
        KnownFailure(.handshake(.notTLS([]), rule: nil), "an answer that is no TLS", .tlsNotTLS),
        KnownFailure(.handshake(.library(0), rule: nil), "a handshake that breaks the protocol", .tlsAlert),
        KnownFailure(.handshake(.timeout, rule: nil), "a TLS handshake that is never answered", .tlsTimeout),
        KnownFailure(.trust(.appPin, isStrict: false), "a certificate that the app's own code refuses", .appPin),
    ]

    private static let connections = [
        KnownFailure(.network(.name(code: 0)), "a host without an address", .netName),
        KnownFailure(.network(.refused), "a port that refuses the connection", .netRefused),
        KnownFailure(.network(.timeout), "a connection that is never answered", .netTimeout),
        KnownFailure(.lost(LostConnection(.timeout, answerBegan: false)), "an answer that never comes", .netTimeout),
        KnownFailure(
            .lost(LostConnection(.closed, answerBegan: false)), "a server that closes the connection unanswered",
            .netReset),
        KnownFailure(
            .lost(LostConnection(.reset, answerBegan: false)), "a server that resets the connection", .netReset),
        KnownFailure(
            .lost(LostConnection(.alert(116), clientCertificate: .asked, answerBegan: false)),
            "a server that asks for a client certificate and gets none", .tlsAlert, .tlsClosed, .netReset),
        KnownFailure(
            .lost(LostConnection(.alert(42), clientCertificate: .sent, answerBegan: false)),
            "a server that does not take the client's certificate", .tlsAlert),
        KnownFailure(.malformedAnswer, "an answer that is no HTTP", .httpMalformed),
    ]
}
