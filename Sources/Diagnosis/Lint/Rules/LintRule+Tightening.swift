import ATSPolicy
import Text

extension LintRule {
    /// Any entry brings ATS back for its host, an empty one all of it.
    static let tighteningEntry = LintRule(
        "lint.tightening-entry", .warning, title: "An entry brings back rules for a host that were off without it",
        source: "Security, SecProtocolConfigurationTest.m; docs/law/rulings.md#demands", .source,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true, "NSExceptionDomains": {"a.example.com": {}}}"#,
            silent: """
                {"NSAllowsArbitraryLoads": true,
                 "NSExceptionDomains": {"a.example.com": {"NSExceptionAllowsInsecureHTTPLoads": false}}}
                """)
    ) { subject in
        subject.entries.compactMap { entry in
            // Who writes the Boolean down, or asks for a version, means it.
            guard let values = entry.values, !entry.isKey, values.last(ATSKey.insecureHTTP) == nil,
                (entry.minimumTLS ?? .tls10) < .tls12,
                !values.contains(where: { ATSKey.current(forLegacy: $0.key) != nil })
            else { return nil }
            if subject.isOffByDefault {
                return LintMark(
                    entry.place,
                    "\(entry.key) gets stricter by its entry: NSAllowsArbitraryLoads no longer covers it, and"
                        + " cleartext is denied unless \(ATSKey.insecureHTTP) is true here")
            }
            guard entry.isLocal, !entry.isAddress, subject.flag(ATSKey.localNetworking) != false else { return nil }
            return LintMark(
                entry.place, "\(entry.key) is local and free without an entry; with this one cleartext to it is denied")
        }
    }

    /// An entry that repeats the defaults.
    static let idleEntry = LintRule(
        "lint.idle-entry", .note, title: "An entry changes nothing",
        source: "Apple, NSExceptionDomains; docs/law/keys.md#entry-keys", .documented,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": {"NSIncludesSubdomains": true}}}"#,
            silent: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionRequiresForwardSecrecy": false}}}"#)
    ) { subject in
        let table = subject.table
        return subject.entries.compactMap { entry in
            guard let values = entry.values, !subject.isOffByDefault, !entry.isLocal, !entry.isAddress, !entry.isKey,
                entry.fault == nil, values.allSatisfy({ $0.key == ATSKey.includesSubdomains }),
                // Below a wider entry, or a built-in one (docs/law/keys.md#built-in-exceptions), it does tighten.
                !entry.parents.contains(where: { table[$0] != nil }),
                !builtIn.contains(where: { HostGrammar.isHost(entry.key, atOrBelow: $0) })
            else { return nil }
            return LintMark(
                entry.place, "\(entry.key) sets nothing, so its hosts get the secure defaults as without it")
        }
    }

    /// Source: Security, SecProtocolConfiguration.m; docs/law/keys.md#built-in-exceptions.
    private static let builtIn = ["apple.com", "setup.icloud.com", "is.autonavi.com", "apple-mapkit.com"]
}
