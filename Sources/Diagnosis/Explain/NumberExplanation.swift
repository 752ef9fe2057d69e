import ATSPolicy
public import Text

/// The possible meanings of one of Apple's error codes, by release, and the rules that report them: `explain -9802`.
public struct NumberExplanation: Sendable {
    public let number: ErrorNumber
    /// Its name in Apple's headers; nil if none is known.
    public let name: String?
    /// A remark on the number itself.
    public let remark: String?
    public let meanings: [NumberMeaning]
    /// The causes that public reports name, the most frequent first; empty without enough reports.
    public let causes: [NumberCause]

    /// - Returns: nil for an unknown number.
    public init?(_ number: ErrorNumber) {
        let found = NumberMeaning.all { number.isPart(of: $0) }
        let other = OtherNumber.find(number.number, domain: number.domain)
        // People omit the sign.
        if found.isEmpty, other == nil, Self.remarks[number.number] == nil, number.number > 0, number.domain == nil {
            guard let negative = NumberExplanation(ErrorNumber(-number.number)) else { return nil }
            self = negative
            return
        }
        guard !found.isEmpty || other != nil || Self.remarks[number.number] != nil else { return nil }
        self.number = number
        meanings = found
        name = Self.names[number.number] ?? Self.remarks[number.number]?.name ?? other?.name
        remark = Self.remarks[number.number]?.words ?? (found.isEmpty ? other?.words : nil)
        causes = NumberCause.all(of: number)
    }

    /// The number of one of Apple's constants, for example `errSSLFatalAlert`; nil for any other text.
    public static func number(named name: String) -> ErrorNumber? {
        let all = names.merging(remarks.mapValues(\.name)) { name, _ in name }
        return all.filter { $0.value == name }.keys.max().map { ErrorNumber($0) }
    }

    /// Names from the table of errors.
    private static let names = KnownFailure.all.reduce(into: [Int: String]()) { names, known in
        for profile in NumberMeaning.releaseProfiles {
            let error = known.error(on: profile)
            names[error.code] = error.constant
            if let code = error.streamErrorCode, let constant = error.streamErrorConstant { names[code] = constant }
        }
    }

    /// Numbers with a remark of their own. Source: Security, SecBase.h; docs/law/errors.md#codes,
    /// docs/law/errors.md#stream-codes, docs/law/errors.md#ats-block, docs/law/errors.md#proxies; -9800: OWASP/mastg
    /// 1121, the output of nscurl in its page of 2019 (observed-once).
    private static let remarks: [Int: (name: String, words: String)] = [
        -1022: (
            "NSURLErrorAppTransportSecurityRequiresSecureConnection",
            "ATS blocked an http URL. Fix: load it over https. If the server has no https, allow http for this host: "
                + "NSExceptionDomains, HOST, NSExceptionAllowsInsecureHTTPLoads = true. atsgate explain http://HOST "
                + "shows the rule that decides."
        ),
        -9802: (
            "errSSLFatalAlert",
            "Usually the server's certificate was refused while ATS is on for its host. Run atsgate probe HOST to find "
                + "the cause."
        ),
        -9800: (
            "errSSLProtocol",
            "A protocol error. Before iOS 12.2 and macOS 10.14.4, each load also fails with it if the entry of its host has "
                + "NSExceptionMinimumTLSVersion TLSv1.3 (nscurl of macOS 10.13 and 10.14; Apple forums 96765, OWASP/mastg 1121)."
        ),
        -9806: (
            "errSSLClosedAbort",
            "The server closed the connection. IIS does so if it cannot use the certificate with what the client offers, for "
                + "example a certificate signed with SHA-512 (serverfault 724077; observed-once)."
        ),
        -999: (
            "NSURLErrorCancelled",
            "Most of these are cancels by the app itself: a screen that was left, a newer search, a navigation of a web "
                + "view. The app's own code for trust causes it if it cancels the challenge, for example for a wrong pin: "
                + "atsgate explain questions/pins."
        ),
        310: (
            "kCFErrorHTTPSProxyConnectionFailure",
            "The proxy, such as this gate, did not answer CONNECT with 200; its record contains the reason."
        ),
        -1201: ("NSURLErrorServerCertificateHasBadDate", hardlySeen),
        -1203: ("NSURLErrorServerCertificateHasUnknownRoot", hardlySeen),
        -1204: ("NSURLErrorServerCertificateNotYetValid", hardlySeen),
        -9808: (
            "errSSLBadCert",
            "A malformed certificate. Seen with -1202 on iOS 9, and in nscurl on macOS 26; no atsgate rule predicts it."
        ),
        -9880: ("errSSLATSViolation", privateNumber), -9881: ("errSSLATSMinimumVersionViolation", privateNumber),
        -9882: ("errSSLATSCiphersuiteViolation", privateNumber),
        -9883: ("errSSLATSMinimumKeySizeViolation", privateNumber),
        -9884: ("errSSLATSLeafCertificateHashAlgorithmViolation", privateNumber),
        -9885: ("errSSLATSCertificateHashAlgorithmViolation", privateNumber),
        -9886: ("errSSLATSCertificateTrustViolation", privateNumber),
    ]

    private static let hardlySeen = "Defined, but rarely seen: devices report -1202 for every certificate."
    private static let privateNumber = "Private to the system: apps see only the number before it."
}

extension ErrorNumber {
    /// True if it is the error's code, its stream code or its private number.
    fileprivate func isPart(of error: AppleError) -> Bool {
        if let code, code != error.code { return false }
        if let domain { return domain == error.streamErrorDomain && number == error.streamErrorCode }
        return number == error.code || number == error.streamErrorCode || number == error.detailCode
    }
}

extension NumberExplanation {
    /// Several lines of text for the user.
    public var words: String {
        var lines = [[number.text, name].compactMap(\.self).joined(separator: "  ")]
        if let remark { lines.append("  " + remark) }
        lines += causeLines
        let alerts = meanings.filter { $0.rules == [.tlsAlert] && !$0.details.isEmpty }
        let isCrowded = alerts.count > Self.mostAlerts
        for meaning in meanings where !isCrowded || !alerts.contains(meaning) {
            let details = meaning.details.isEmpty ? "" : ": " + meaning.details.joined(separator: ", ")
            lines.append("  \(meaning.shown)  \(meaning.releases): \(meaning.what)\(details) (\(meaning.certainty))")
            lines.append("    atsgate rules: \(meaning.rules.map(\.rawValue).joined(separator: ", "))")
        }
        if isCrowded {
            lines.append("  any other number: a TLS alert from the server; each alert has its own number")
            lines.append("    atsgate rules: \(RuleID.tlsAlert.rawValue)")
        }
        if meanings.count > 1 || (meanings.first?.rules.count ?? 0) > 1 {
            lines.append(
                "  To find out which: atsgate probe https://HOST, or make the load through the gate.")
        }
        return lines.joined(separator: "\n")
    }

    /// The causes by frequency, with their fixes.
    private var causeLines: [String] {
        guard !causes.isEmpty else { return [] }
        let reports = causes.reduce(0) { $0 + $1.reports }
        return ["  Causes in \(reports) public reports of devices:"]
            + causes.enumerated().flatMap { place, cause in
                ["  \(place + 1). \(cause.what) (\(cause.reports) of \(reports))", "     \(cause.fix)"]
            }
    }

    /// A larger number of alerts is summarised.
    private static let mostAlerts = 6

    /// One JSON object on one line: `number name remark causes[{what rule reports fix}]
    /// meanings[{shown releases what details[] rules[] confidence[] console[{releases lines[]}]}]`.
    public var json: String { jsonValue.text }

    /// The same as a value.
    public var jsonValue: JSONValue {
        .object([
            ("number", .string(number.text)), ("name", .text(name)), ("remark", .text(remark)),
            (
                "causes",
                .array(
                    causes.map {
                        .object([
                            ("what", .string($0.what)), ("rule", .string($0.rule.rawValue)),
                            ("reports", .number($0.reports)), ("fix", .string($0.fix)),
                        ])
                    })
            ),
            (
                "meanings",
                .array(
                    meanings.map { meaning in
                        .object([
                            ("shown", .string(meaning.shown)), ("releases", .string(meaning.releases)),
                            ("what", .string(meaning.what)), ("details", .texts(meaning.details)),
                            ("rules", .texts(meaning.rules.map(\.rawValue))),
                            ("confidence", .texts(meaning.confidence.map(\.rawValue))),
                            ("console", .array(meaning.console.map(\.json))),
                        ])
                    })
            ),
        ])
    }
}

extension NumberMeaning {
    fileprivate var certainty: String { confidence.map(\.rawValue).joined(separator: ", ") }
}
