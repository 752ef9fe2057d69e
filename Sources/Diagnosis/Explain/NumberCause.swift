public import ATSPolicy

/// A cause of one of Apple's error codes, with the number of public reports of it.
public struct NumberCause: Sendable, Hashable {
    /// The cause, as a noun with its article.
    public let what: String
    /// The rule that the cause breaks.
    let rule: RuleID
    /// The reports of real devices in `docs/agreement.md` that show the code for this cause.
    public let reports: Int
    public let fix: String

    /// A number of reports with the same code, stream code and cause.
    public struct Row: Sendable, Hashable {
        public let code: Int
        /// nil if the reports show none.
        public let stream: Int?
        public let rule: RuleID
        public let reports: Int

        public init(code: Int, stream: Int?, rule: RuleID, reports: Int) {
            self.code = code
            self.stream = stream
            self.rule = rule
            self.reports = reports
        }
    }

    /// The reports in docs/agreement.md whose cause is known, each source once. A test counts them again.
    public static let rows = [
        Row(code: -1200, stream: -9802, rule: .selfSigned, reports: 6),
        Row(code: -1200, stream: -9802, rule: .untrustedRoot, reports: 4),
        Row(code: -1200, stream: -9802, rule: .pinnedIdentity, reports: 2),
        Row(code: -1200, stream: -9802, rule: .signatureHash, reports: 2),
        Row(code: -1200, stream: -9802, rule: .expired, reports: 1),
        Row(code: -1200, stream: nil, rule: .selfSigned, reports: 1),
        Row(code: -1200, stream: -9801, rule: .tlsVersion, reports: 2),
        Row(code: -1200, stream: -9806, rule: .tlsClosed, reports: 1),
        Row(code: -1200, stream: -9816, rule: .tlsClosed, reports: 2),
        Row(code: -1200, stream: -9820, rule: .tlsAlert, reports: 1),
        Row(code: -1200, stream: -9824, rule: .tlsAlert, reports: 2),
        Row(code: -1200, stream: -9838, rule: .tlsAlert, reports: 1),
        Row(code: -1200, stream: -9858, rule: .tlsAlert, reports: 2),
        Row(code: -1202, stream: -9807, rule: .untrustedRoot, reports: 2),
        Row(code: -1202, stream: -9813, rule: .selfSigned, reports: 2),
        Row(code: -1202, stream: -9813, rule: .untrustedRoot, reports: 2),
        Row(code: -1202, stream: -9843, rule: .hostName, reports: 1),
        Row(code: -1202, stream: nil, rule: .selfSigned, reports: 1),
    ]

    /// The causes of a number, the most frequent first. Empty if the reports show only one, except for a private CA:
    /// its releases differ (C15), and the meanings by release would leave it out.
    static func all(of number: ErrorNumber) -> [NumberCause] {
        let found = rows.filter { row in
            guard number.domain ?? 3 == 3 else { return false }
            if let code = number.code { return row.code == code && row.stream == number.number }
            return row.code == number.number || row.stream == number.number
        }
        let rules = found.map(\.rule).reduce(into: [RuleID]()) { if !$0.contains($1) { $0.append($1) } }
        let causes = rules.compactMap { rule -> NumberCause? in
            let rows = found.filter { $0.rule == rule }
            let isRelaxed = rows.allSatisfy { $0.code == -1202 }
            return words(of: rule, isRelaxed: isRelaxed).map {
                NumberCause(what: $0.what, rule: rule, reports: rows.reduce(0) { $0 + $1.reports }, fix: $0.fix)
            }
        }
        guard causes.count > 1 || causes.first?.rule == .untrustedRoot else { return [] }
        return causes.enumerated().sorted { ($1.element.reports, $0.offset) < ($0.element.reports, $1.offset) }
            .map(\.element)
    }

    /// The cause and its fix.
    ///
    /// - Parameter isRelaxed: true for -1202: ATS is off or relaxed for the host.
    private static func words(of rule: RuleID, isRelaxed: Bool) -> (what: String, fix: String)? {
        (isRelaxed ? relaxed[rule] : nil) ?? usual[rule]
    }

    /// Source: the reports in docs/agreement.md; that app code cannot accept a self-signed certificate: alamofire-2402,
    /// genaryx and discokit-name there (observed).
    private static let usual: [RuleID: (what: String, fix: String)] = [
        .selfSigned: (
            "a self-signed certificate",
            "Use a certificate of a CA that devices trust. App code cannot accept it while ATS is on for the host."
        ),
        .untrustedRoot: (
            "a certificate of a CA that the device does not trust, such as an intercepting proxy's", installCA
        ),
        .pinnedIdentity: (
            "a key or CA that differs from the pins in the dictionary (NSPinnedDomains)",
            "Add the new key to the pins before the server uses it."
        ),
        .signatureHash: (
            "a SHA-1 signature in the chain", "Replace the certificate by one with a SHA-256 signature."
        ),
        .expired: ("an expired certificate in the chain", "Renew it, or serve a chain to a newer root."),
        .tlsVersion: ("a server that has only old TLS versions", "Make the server support TLS 1.2 or newer."),
        .tlsClosed: (
            "a server that closes the connection in the handshake",
            "Read the server's log; if a retry passes, see atsgate explain questions/retry."
        ),
        .tlsAlert: (
            "an alert of the server, mostly 40 (handshake_failure): it found no acceptable suite or version",
            "Run atsgate probe HOST, which names the suites and versions of the server."
        ),
        .hostName: ("a certificate for another name", "Use the name in the certificate, or renew it for this name."),
    ]

    private static let relaxed: [RuleID: (what: String, fix: String)] = [
        .selfSigned: ("a self-signed certificate", "Use a certificate of a CA that devices trust."),
        .untrustedRoot: (
            "a private root that the device does not trust: an own CA (mkcert, Caddy, a company's) or an intercepting "
                + "proxy's", installCA
        ),
    ]

    private static let installCA = "Install the CA and switch on full trust for it, in each simulator as well."
}
