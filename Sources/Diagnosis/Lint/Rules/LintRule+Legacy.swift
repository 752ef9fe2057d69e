import ATSPolicy

extension LintRule {
    /// Spellings of 2015 and 2016; one finding for each entry, about what it does where nobody reads them.
    static let legacyKey = LintRule(
        "lint.legacy-key", .warning, title: "An old spelling that 18.4 and later do not read",
        source: "Security, SecProtocolInternal.h; docs/law/keys.md#old-spellings", .inferred,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": {"NSTemporaryExceptionAllowsInsecureHTTPLoads": true}}}"#,
            silent:
                #"{"NSExceptionDomains": {"a.example.com": {"NSTemporaryExceptionAllowsInsecureHTTPLoads": false}}}"#)
    ) { subject in
        guard !subject.systems.newest.keys.contains(.legacySpellings) else { return [] }
        // To delete is told of these already.
        let needless = Set(subject.needlessLocals.map(\.key))
        return subject.entries.compactMap { entry in
            let old = entry.unreadMembers
            guard let first = old.first, !needless.contains(entry.key) else { return nil }
            let today =
                subject.isOffByDefault
                ? "there the entry only tightens: NSAllowsArbitraryLoads no longer covers \(entry.key)"
                : "there \(entry.key) gets the defaults"
            let new = old.compactMap { ATSKey.current(forLegacy: $0.key) }
            let are = old.count == 1 ? "is" : "are"
            return LintMark(
                entry.place(of: first),
                "\(old.map(\.key).joined(separator: ", ")) \(are) not read by 18.4 and later, and \(today);"
                    + " write \(new.joined(separator: ", "))")
        }
    }
}

extension LintEntry {
    /// Something is allowed by an old spelling.
    var hasUnreadMembers: Bool { !unreadMembers.isEmpty }

    /// Old spellings that would change something and have no current one beside them.
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
