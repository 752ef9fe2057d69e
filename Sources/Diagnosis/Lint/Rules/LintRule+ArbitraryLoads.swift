import ATSPolicy

extension LintRule {
    /// The largest exception of all. It is the first finding of a file.
    static let arbitraryLoads = LintRule(
        "lint.arbitrary-loads", .warning, title: "NSAllowsArbitraryLoads turns ATS off for every host without an entry",
        source: "Apple, NSAllowsArbitraryLoads; docs/law/keys.md#global-keys", .documented,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true}"#,
            silent: #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true}"#)
    ) { subject in
        guard let general = subject.globals.last(ATSKey.arbitraryLoads), subject.isOffSomewhere else { return [] }
        return [
            LintMark(
                subject.place(of: general),
                "ATS is off for every host without an entry, because NSAllowsArbitraryLoads is true: name the hosts that"
                    + " need an exception in NSExceptionDomains instead")
        ]
    }
}

extension LintSubject {
    /// True if NSAllowsArbitraryLoads counts: a sibling key turns it off, on releases that know that key.
    fileprivate var isOffSomewhere: Bool {
        flag(ATSKey.arbitraryLoads) == true && (siblings.isEmpty || !systems.knows(.siblings))
    }
}
