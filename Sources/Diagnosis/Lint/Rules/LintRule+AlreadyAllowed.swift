import ATSPolicy

extension LintRule {
    /// An entry can only make ATS stricter if NSAllowsArbitraryLoads already allows the host.
    static let insecureUnderArbitrary = LintRule(
        "lint.insecure-under-arbitrary-loads", .note,
        title: "An entry allows cleartext to a host that NSAllowsArbitraryLoads already allows",
        source: "Security, SecProtocolConfigurationTest.m; docs/law/rulings.md#demands", .source,
        example: LintExample(found: example(isOff: true), silent: example(isOff: false))
    ) { subject in
        subject.alreadyAllowed.map { entry in
            LintMark(
                entry.place,
                "NSAllowsArbitraryLoads already allows http to \(entry.key); this entry still protects https, where it"
                    + " requires \(entry.tightened): keep the entry, and remove NSAllowsArbitraryLoads")
        }
    }

    private static func example(isOff: Bool) -> String {
        """
        {"NSAllowsArbitraryLoads": \(isOff),
         "NSExceptionDomains": {"a.example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}
        """
    }
}

extension LintEntry {
    /// The requirements for https of an entry that allows cleartext (docs/law/rulings.md#demands).
    fileprivate var tightened: String {
        "TLS \((minimumTLS ?? .tls12).name), "
            + (requiresForwardSecrecy ? "the ATS cipher suites" : "ATS keys and hashes")
    }
}

extension LintSubject {
    /// Entries that allow cleartext to hosts without ATS. An entry that requires TLS 1.3 is deliberate and does not
    /// count.
    var alreadyAllowed: [LintEntry] {
        guard isOffByDefault else { return [] }
        return entries.filter {
            $0.allowsInsecure && !$0.isLocal && $0.minimumTLS != .tls13 && $0.fault == nil
        }
    }
}
