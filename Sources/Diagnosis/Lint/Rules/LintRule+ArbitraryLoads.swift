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

    /// The media key counts on devices only.
    static let mediaInSimulators = LintRule(
        "lint.media-in-simulators", .note, title: "Simulators do not honour NSAllowsArbitraryLoadsForMedia",
        source: "openradar 29553892; ryanheise/just_audio 148 and 703; docs/law/keys.md#global-keys", .observed,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoadsForMedia": true}"#,
            silent: #"{"NSAllowsArbitraryLoadsInWebContent": true}"#)
    ) { subject in
        guard let key = subject.globals.last(ATSKey.forMedia), subject.flag(ATSKey.forMedia) == true,
            subject.systems.knows(.siblings)
        else { return [] }
        return [
            LintMark(
                subject.place(of: key),
                "http media plays on devices only: simulators blocked it in spite of NSAllowsArbitraryLoadsForMedia")
        ]
    }
}

extension LintSubject {
    /// True if NSAllowsArbitraryLoads counts: a sibling key turns it off, on releases that know that key.
    fileprivate var isOffSomewhere: Bool {
        flag(ATSKey.arbitraryLoads) == true && (siblings.isEmpty || !systems.knows(.siblings))
    }
}
