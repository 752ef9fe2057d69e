import ATSPolicy
import Text

extension LintRule {
    /// Any entry turns ATS back on for its host; an empty one turns all of it on.
    static let tighteningEntry = LintRule(
        "lint.tightening-entry", .warning, title: "An entry turns ATS rules back on that are off without it",
        source: "Security, SecProtocolConfigurationTest.m; docs/law/rulings.md#demands", .source,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true, "NSExceptionDomains": {"a.example.com": {}}}"#,
            silent: """
                {"NSAllowsArbitraryLoads": true,
                 "NSExceptionDomains": {"a.example.com": {"NSExceptionAllowsInsecureHTTPLoads": false}}}
                """)
    ) { subject in
        subject.entries.compactMap { entry in
            // An explicit Boolean or version is deliberate.
            guard let values = entry.values, !entry.isKey, values.last(ATSKey.insecureHTTP) == nil,
                (entry.minimumTLS ?? .tls10) < .tls12,
                !values.contains(where: { ATSKey.current(forLegacy: $0.key) != nil })
            else { return nil }
            if subject.isOffByDefault {
                return LintMark(
                    entry.place,
                    "ATS stays on for \(entry.key): NSAllowsArbitraryLoads does not cover it, and cleartext is blocked"
                        + " unless \(ATSKey.insecureHTTP) is true here", severity: .note)
            }
            guard entry.isLocal, !entry.isAddress, subject.flag(ATSKey.localNetworking) != false else { return nil }
            return LintMark(
                entry.place, "\(entry.key) is local and allowed without an entry; this entry blocks cleartext to it")
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
        // Under a global key that switches ATS off for some loads, every entry switches it on for its hosts.
        let grants = [ATSKey.arbitraryLoads, ATSKey.inWebContent, ATSKey.forMedia]
        guard !grants.contains(where: { subject.flag($0) == true }) else { return [] }
        let empty = subject.entries.filter {
            $0.values?.allSatisfy { $0.key == ATSKey.includesSubdomains } == true && !$0.isSingleLabel && !$0.isLocal
                && !$0.isAddress && !$0.isKey && $0.fault == nil
        }
        guard !empty.isEmpty else { return [] }
        let counts = Dictionary(subject.entries.map { ($0.key, 1) }, uniquingKeysWith: +)
        return empty.compactMap { entry in
            guard counts[entry.key] == 1,
                // Under a wider entry, or a built-in one (docs/law/keys.md#built-in-exceptions), it is stricter.
                !entry.parents.contains(where: { subject.table[$0] != nil }),
                !builtIn.contains(where: { HostGrammar.isHost(entry.key, atOrBelow: $0) })
            else { return nil }
            return LintMark(
                entry.place,
                "\(entry.key) has no effect: its hosts also have the secure defaults without it; delete it",
                removal: LintRemoval([.entry(entry.key)]))
        }
    }

    /// Source: Security, SecProtocolConfiguration.m; docs/law/keys.md#built-in-exceptions.
    private static let builtIn = ["apple.com", "setup.icloud.com", "is.autonavi.com", "apple-mapkit.com"]
}
