import ATSPolicy

extension LintRule {
    /// The presence of a sibling, with any value, turns NSAllowsArbitraryLoads off.
    static let neutralisedArbitraryLoads = LintRule(
        "lint.arbitrary-loads-neutralised", .error,
        title: "NSAllowsArbitraryLoads is set, but a sibling key makes the system ignore it",
        source: "Security, SecProtocolConfigurationTest.m; docs/law/rulings.md#siblings", .source,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true}"#,
            silent: #"{"NSAllowsArbitraryLoads": false, "NSAllowsLocalNetworking": true}"#)
    ) { subject in
        guard let general = subject.globals.last(ATSKey.arbitraryLoads), subject.flag(ATSKey.arbitraryLoads) == true,
            !subject.siblings.isEmpty, subject.systems.knows(.siblings)
        else { return [] }
        let names = subject.siblings.map(\.key).joined(separator: ", ")
        // Apple's own advice for one file that also supports iOS 9 (documented; docs/law/rulings.md#siblings).
        let isMeantForOld = !subject.systems.isAssumed && subject.systems.lacks(.siblings)
        return [
            LintMark(
                subject.place(of: general),
                "NSAllowsArbitraryLoads is ignored on iOS 10 and later, because \(names) is present"
                    + (isMeantForOld ? "; it still counts on iOS 9" : subject.remedyForNeutralised),
                severity: isMeantForOld ? .note : nil,
                removal: isMeantForOld ? nil : LintRemoval([.global(ATSKey.arbitraryLoads)], since: .iOS10))
        ]
    }

    /// A sibling with the value false has an effect; an absent one has none.
    static let falseSibling = LintRule(
        "lint.false-sibling", .warning, title: "A sibling key is present with the value false, which has an effect",
        source: "Security, SecProtocolConfiguration.m; docs/law/rulings.md#siblings", .source,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoadsInWebContent": false}"#,
            silent: #"{"NSAllowsArbitraryLoadsInWebContent": true}"#)
    ) { subject in
        guard subject.systems.knows(.siblings) else { return [] }
        return subject.siblings.filter { subject.flag($0.key) == false }.map { member in
            let effect =
                member.key == ATSKey.localNetworking
                ? "it blocks cleartext to local hosts (18.4 and later) and turns NSAllowsArbitraryLoads off"
                : "its presence alone turns NSAllowsArbitraryLoads off"
            return LintMark(
                subject.place(of: member), "\(member.key) is false, which differs from absent: \(effect)")
        }
    }
}

extension LintSubject {
    /// The effect of the siblings, and the fix. To delete them would switch ATS off, so no sentence proposes that.
    fileprivate var remedyForNeutralised: String {
        let freed = siblings.filter { flag($0.key) == true }.compactMap { Self.freed[$0.key] }
        let rest = freed.isEmpty ? "" : " except \(freed.joined(separator: " and "))"
        return
            ": ATS applies to every host without an entry\(rest); delete NSAllowsArbitraryLoads, and add an entry of"
            + " NSExceptionDomains for each host that needs one"
    }

    private static let freed = [
        ATSKey.localNetworking: "local hosts", ATSKey.inWebContent: "loads of web views",
        ATSKey.forMedia: "media on devices (simulators block it as well)",
    ]
}
