extension RuleID {
    public static let distrustedRoot = RuleID("trust.distrusted-root", .trust)
}

extension Rule {
    /// The certificate was issued before Apple's limit by date for its root. The root itself stays in the store.
    ///
    /// The limits arrive over the air, in a database that trustd has since iOS 11 and macOS 10.13. Its clock is the
    /// earliest timestamp of a known log, else the start of the validity; without a list of logs, the start counts.
    /// Source: Apple support 121668; Security 58286.1.32, SecRevocationDb.c; docs/law/trust.md#distrust-by-date.
    static let distrustedRoot = Rule(
        .distrustedRoot, "Certificate issued after the root was distrusted",
        source: "Apple support 121668; docs/law/trust.md#distrust-by-date", confidence: .documented,
        consequence: .certificate(
            .trust, remedy: { _, _ in "Replace the certificate with one from a CA that Apple trusts without a limit." }),
        check: { handshake in
            guard handshake.facts.anchor == .system, let root = handshake.facts.path.last,
                let limit = DatedDistrust.limit(for: root), let leaf = handshake.leaf
            else { return .pass }
            let issued = handshake.facts.sctReview?.counted.map(\.time).min() ?? leaf.notBefore
            guard issued >= limit.end else { return .pass }
            let expected = "a certificate issued before \(CalendarDay.text(limit.end))"
            let observed =
                "\(handshake.title(of: 0, leaf)) was issued on \(CalendarDay.text(issued)) under \(root.quotedName) "
                + "(\(limit.confidence.rawValue))"
            return limit.confidence == .documented
                ? .fail(expected: expected, observed: observed) : .warn(expected: expected, observed: observed)
        },
        examples: {
            func example(
                _ title: String, _ expected: RuleOutcome, _ key: String, issued: Int64,
                _ change: @escaping (inout HandshakeCase) -> Void = { _ in }
            ) -> RuleExample {
                RuleExample(title, expected) {
                    $0.changePath(at: 2) { $0.spkiSHA256 = key }
                    $0.changeLeaf { $0.notBefore = issued }
                    change(&$0)
                }
            }
            let entrust = "du6FkDdMcVQ3u8prumAo6t"
            let end = DatedDistrust.november2024
            return [
                example("a second before the limit", .pass, entrust, issued: end - 1),
                example("in the first second after it", .fail, entrust, issued: end),
                example("logged before the limit", .pass, entrust, issued: end) {
                    $0.facts.sctReview = SCTReview(
                        counted: [CountedSCT(source: .embedded, time: DatedDistrust.november2024 - 1)])
                },
                example("a limit that one source reports", .warn, "9Iut199qBmkNCuMTc7EoVf", issued: end),
                example("another root", .pass, "any", issued: end),
                example("on iOS 10", .notInForce, entrust, issued: end) { $0.profile = .iOS10 },
                example("a root that the user installed", .pass, entrust, issued: end) { $0.facts.anchor = .user },
            ]
        }
    )
    .reportingWarnings()
    .inForce { $0.hasRules(of: OSVersion(11)) }
}

/// Apple's limits by date, by the first characters of a root's key hash in Base64.
struct DatedDistrust: Sendable {
    /// Seconds since 1970-01-01 UTC: the first second in which issued certificates are refused.
    let end: Int64
    let confidence: Confidence

    static func limit(for root: CertificateFacts) -> DatedDistrust? {
        all[root.spkiSHA256.prefix(AppleRoot.keyDigits)]
    }

    /// 2024-11-16, after the last day on Apple's page.
    static let november2024: Int64 = 1_731_715_200

    /// Apple's page lists the roots of Entrust, of Camerfirma and two of AffirmTrust in the copy that was read. The
    /// other two of AffirmTrust are inferred, because the copy ends there. NetLock's is from a report of June 2025 that
    /// names the same page (observed once). Source: Apple support 121668.
    private static let all: [Substring: DatedDistrust] = {
        func limits(_ confidence: Confidence, _ keys: Substring...) -> [(Substring, DatedDistrust)] {
            keys.map { ($0, DatedDistrust(end: november2024, confidence: confidence)) }
        }
        let rows =
            limits(
                .documented, "ztQ5AqtftXtEIyLcDhcqT7", "knobhWIoBXbQSMUDIa2kPY", "NtfHnz0Img/3mXLZCSPepc",
                "bb+uANN7nNc/j7R95lkXrw", "HqPF5D7WbC2imDpCpKebHp", "du6FkDdMcVQ3u8prumAo6t",
                "/qK31kX7pz11PB7Jp4cMQO", "bEZLmlsjOl6HTadlwm8EUB", "lAcq0/WPcPkwmOWl9sBMls")
            + limits(.inferred, "x/Q7TPW3FWgpT4IrU3YmBf", "MhmwkRT/SVo+tusAwu/qs0")
            + limits(.observedOnce, "9Iut199qBmkNCuMTc7EoVf")
        return Dictionary(rows) { first, _ in first }
    }()
}
