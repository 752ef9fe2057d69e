import ATSPolicy

extension LintRule {
    /// What NSAllowsArbitraryLoads frees, an entry can only tighten.
    static let insecureUnderArbitrary = LintRule(
        "lint.insecure-under-arbitrary-loads", .warning,
        title: "Cleartext is allowed to a host that NSAllowsArbitraryLoads frees already",
        source: "Security, SecProtocolConfigurationTest.m; docs/law/rulings.md#demands", .source,
        example: LintExample(found: example(isOff: true), silent: example(isOff: false))
    ) { subject in
        subject.freedAlready.map { entry in
            LintMark(
                entry.place,
                "http to \(entry.key) is free by NSAllowsArbitraryLoads; all that the entry does is to ask"
                    + " \(entry.tightened) of https to it: delete it")
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
    /// What an entry that allows cleartext still asks of https (docs/law/rulings.md#demands).
    fileprivate var tightened: String {
        let version = minimumTLS ?? .tls12
        let texts = [
            version < .tls12 ? nil : "TLS \(version.name)", requiresForwardSecrecy ? "the suites of ATS" : nil,
        ].compactMap(\.self)
        return texts.isEmpty ? "nothing" : texts.joined(separator: " and ")
    }
}

extension LintSubject {
    /// Entries that allow cleartext to hosts that are free of ATS without them. Who asks for TLS 1.3 means it.
    var freedAlready: [LintEntry] {
        guard isOffByDefault else { return [] }
        return entries.filter {
            $0.allowsInsecure && !$0.isLocal && $0.minimumTLS != .tls13 && $0.fault == nil
        }
    }
}
