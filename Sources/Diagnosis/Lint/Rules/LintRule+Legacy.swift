import ATSPolicy

extension LintRule {
    /// Spellings of 2015 and 2016. One finding for each entry, with its effect on releases that do not read them.
    static let legacyKey = LintRule(
        "lint.legacy-key", .warning, title: "An old spelling that 18.4 and later do not read",
        source: "Security, SecProtocolInternal.h; docs/law/keys.md#old-spellings", .inferred,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": {"NSTemporaryExceptionAllowsInsecureHTTPLoads": true}}}"#,
            silent:
                #"{"NSExceptionDomains": {"a.example.com": {"NSTemporaryExceptionAllowsInsecureHTTPLoads": false}}}"#)
    ) { subject in
        guard !subject.systems.newest.keys.contains(.legacySpellings) else { return [] }
        return subject.entries.compactMap { entry in
            let old = entry.unreadMembers
            guard let first = old.first else { return nil }
            let today =
                subject.isOffByDefault
                ? "where the entry only makes ATS stricter: NSAllowsArbitraryLoads no longer covers \(entry.key)"
                : entry.isLocal
                    ? "where the entry blocks cleartext to \(entry.key)" : "where \(entry.key) has the defaults"
            let new = old.compactMap { ATSKey.current(forLegacy: $0.key) }
            let are = old.count == 1 ? "is" : "are"
            return LintMark(
                entry.place(of: first),
                "\(old.map(\.key).joined(separator: ", ")) \(are) not read by iOS 18.4, macOS 15.4 and later, \(today);"
                    + " write \(new.joined(separator: ", "))")
        }
    }
}

extension LintEntry {
    /// True if an old spelling allows something.
    var hasUnreadMembers: Bool { !unreadMembers.isEmpty }

    /// Old spellings that would have an effect and are not accompanied by the current one.
    fileprivate var unreadMembers: [PropertyMember] {
        (values ?? []).filter { member in
            guard let current = ATSKey.current(forLegacy: member.key), values?.last(current) == nil else {
                return false
            }
            switch (current, member.node.value) {
            case (ATSKey.minimumTLS, .string("TLSv1.2")): return false
            case (ATSKey.minimumTLS, _): return true
            default: return [member].flag(member.key) == (current == ATSKey.insecureHTTP)
            }
        }
    }
}
