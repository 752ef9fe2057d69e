import ATSPolicy

extension LintRule {
    /// A documentation mistake of 2016.
    static let inMediaKey = LintRule(
        "lint.in-media-key", .error, title: "No release has ever read NSAllowsArbitraryLoadsInMedia",
        source: "openradar 28312964; docs/law/keys.md#wrong-keys", .observed,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoadsInMedia": true}"#, silent: #"{"NSAllowsArbitraryLoadsForMedia": true}"#)
    ) { subject in
        subject.globals.filter { $0.key == inMedia }.map {
            LintMark(subject.place(of: $0), "no release has ever read \($0.key); use \(ATSKey.forMedia)")
        }
    }

    /// The system ignores such a key without a message.
    static let unknownKey = LintRule(
        "lint.unknown-key", .error, title: "An unknown key, often a misspelt one",
        source: "Apple, NSAppTransportSecurity; docs/law/keys.md#wrong-keys", .observed,
        example: LintExample(
            found: #"{"NSAllowArbitraryLoads": true}"#, silent: #"{"NSAllowsArbitraryLoads": true}"#)
    ) { subject in
        var marks = subject.globals.compactMap { member in
            unknown(member, at: subject.place(of: member), among: ATSKey.global)
        }
        for (list, keys) in [(subject.entries, ATSKey.exception), (subject.pins, pinKeys)] {
            for entry in list {
                marks += (entry.values ?? []).compactMap { unknown($0, at: entry.place(of: $0), among: keys) }
            }
        }
        return marks
    }

    /// Valid keys at a place where the system does not read them.
    static let misplacedKey = LintRule(
        "lint.misplaced-key", .error, title: "A key is at the wrong level, where it has no effect",
        source: "Apple, NSAppTransportSecurity; docs/law/keys.md#entry-keys", .documented,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": {"NSAllowsArbitraryLoads": true}}}"#,
            silent: #"{"NSAllowsArbitraryLoads": true}"#)
    ) { subject in
        var marks = subject.globals.compactMap { member -> LintMark? in
            if member.key == ATSKey.root {
                return LintMark(
                    subject.place(of: member),
                    "\(member.key) is inside itself, where it has no effect: move its content one level up")
            }
            let isOfEntry = ATSKey.exception.contains(member.key) || ATSKey.current(forLegacy: member.key) != nil
            guard isOfEntry || ATSKey.pins.contains(member.key) else { return nil }
            let list = isOfEntry ? ATSKey.exceptionDomains : ATSKey.pinnedDomains
            return LintMark(
                subject.place(of: member), "\(member.key) has no effect here: it belongs in an entry of \(list)")
        }
        for entry in subject.entries + subject.pins {
            if entry.isKey {
                marks.append(
                    LintMark(entry.place, "\(entry.key) is read as a host here: it belongs in \(home(of: entry.key))")
                )
                continue
            }
            for value in entry.values ?? [] where !entry.knows(value.key) && isReal(value.key) {
                marks.append(
                    LintMark(
                        entry.place(of: value), "\(value.key) has no effect here: it belongs in \(home(of: value.key))")
                )
            }
        }
        return marks
    }

    private static let inMedia = "NSAllowsArbitraryLoadsInMedia"
    private static let pinKeys = ATSKey.pins + [ATSKey.includesSubdomains]

    private static func isReal(_ key: String) -> Bool {
        ATSKey.all.contains(key) || key == ATSKey.root
    }

    /// The place where a key has an effect.
    private static func home(of key: String) -> String {
        if ATSKey.global.contains(key) { return ATSKey.root }
        return "an entry of " + (ATSKey.pins.contains(key) ? ATSKey.pinnedDomains : ATSKey.exceptionDomains)
    }

    private static func unknown(_ member: PropertyMember, at place: LintLocation, among keys: [String]) -> LintMark? {
        let key = member.key
        guard !isReal(key), key != inMedia, ATSKey.current(forLegacy: key) == nil, !key.isUnresolved else { return nil }
        let hint = ATSKey.nearest(to: key, among: keys).map { "; did you mean \($0)?" } ?? "; it has no effect"
        return LintMark(place, "\(key) is not a known ATS key\(hint)")
    }
}

extension ATSKey {
    /// Keys of an entry of NSPinnedDomains (docs/law/pinning.md), in addition to NSIncludesSubdomains.
    fileprivate static let pins = [leafPins, caPins]
    /// Every key in its current spelling.
    static let all = Set(global + exception + pins)
}

extension LintEntry {
    fileprivate func knows(_ key: String) -> Bool {
        key == ATSKey.includesSubdomains
            || (list == ATSKey.pinnedDomains ? ATSKey.pins : ATSKey.exception).contains(key)
    }
}
