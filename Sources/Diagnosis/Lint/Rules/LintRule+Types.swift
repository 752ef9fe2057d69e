import ATSPolicy

extension LintRule {
    /// The commonest mistake: `<string>YES</string>`.
    static let notABoolean = LintRule(
        "lint.not-a-boolean", .error, title: "A Boolean is written as a string or another type and is ignored",
        source: "Security, SecProtocolConfiguration.m; docs/law/keys.md#types-of-values", .source,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": "YES"}"#, silent: #"{"NSAllowsArbitraryLoads": true}"#)
    ) { subject in
        subject.oddBooleans.compactMap { member, entry in
            switch member.node.value {
            case .boolean, .integer, .real: return nil
            case .string, .data, .date, .array, .dictionary: break
            }
            let old = subject.systems.countsOddBooleansAsFalse ? " (on 18.4 it counts as false)" : ""
            return LintMark(
                entry?.place(of: member) ?? subject.place(of: member),
                "\(member.key) must be a Boolean, but it is \(member.node.value.summary): it is ignored\(old)",
                appleLog: "App Transport Security value for key \(member.key) must be a boolean")
        }
    }

    /// 1 is true, every other number is false and present; pins require a real Boolean (docs/law/pinning.md#matching).
    static let oddNumber = LintRule(
        "lint.number-for-boolean", .error, title: "A Boolean is written as a number other than 0 or 1",
        source: "Security, SecProtocolConfiguration.m; docs/law/keys.md#types-of-values", .source,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": 2}"#, silent: #"{"NSAllowsArbitraryLoads": 0}"#)
    ) { subject in
        subject.oddBooleans.compactMap { member, entry in
            let place = entry?.place(of: member) ?? subject.place(of: member)
            switch member.node.value {
            case .boolean, .string, .data, .date, .array, .dictionary: return nil
            case .integer(0), .real(0): return nil
            case .integer(1), .real(1):
                if entry?.isPin == true {
                    return LintMark(place, "\(member.key) is the number 1, but pins accept only real Booleans")
                }
                guard subject.systems.countsOddBooleansAsFalse else { return nil }
                let mild: Severity = subject.systems.isAssumed ? .note : .warning
                return LintMark(
                    place, "\(member.key) is the number 1, which 18.4 reads as false; write a Boolean", severity: mild)
            case .integer, .real:
                return LintMark(
                    place, "\(member.key) is \(member.node.value.summary), which counts as present and false")
            }
        }
    }

    /// The system skips an entry that is not a dictionary.
    static let notADictionary = LintRule(
        "lint.not-a-dictionary", .error, title: "A list of domains, or an entry in it, is not a dictionary",
        source: "Security, SecProtocolConfiguration.m; docs/law/keys.md#types-of-values", .source,
        example: LintExample(
            found: #"{"NSExceptionDomains": {"a.example.com": true}}"#,
            silent: #"{"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#)
    ) { subject in
        var marks: [LintMark] = []
        for member in subject.globals where [ATSKey.exceptionDomains, ATSKey.pinnedDomains].contains(member.key) {
            if case .dictionary = member.node.value { continue }
            marks.append(
                LintMark(
                    subject.place(of: member),
                    "\(member.key) must be a dictionary, but it is \(member.node.value.summary): all of it is ignored",
                    appleLog: member.key == ATSKey.exceptionDomains
                        ? "App Transport Security exceptions must be a dictionary" : nil))
        }
        for entry in subject.entries + subject.pins where entry.values == nil && !entry.isKey {
            let isPin = entry.list == ATSKey.pinnedDomains
            let kind = entry.member.node.value.summary
            marks.append(
                LintMark(
                    entry.place, "the entry \(entry.key) must be a dictionary, but it is \(kind): it is skipped",
                    appleLog: isPin ? nil : "App Transport Security exception must be a dictionary"))
        }
        return marks
    }
}

extension SystemRange {
    /// 18.4.x read every value that was not exactly true as false and present (source;
    /// docs/law/keys.md#types-of-values).
    fileprivate var countsOddBooleansAsFalse: Bool { has(\.countsOddBooleansAsFalse) }
}

extension LintSubject {
    /// Every key whose value should be a Boolean and is not one, with its entry; nil for a global key.
    fileprivate var oddBooleans: [(member: PropertyMember, entry: LintEntry?)] {
        func odd(_ members: [PropertyMember], _ keys: [String], in entry: LintEntry?) -> [(PropertyMember, LintEntry?)]
        {
            members.compactMap { member in
                if case .boolean = member.node.value { return nil }
                return keys.contains(member.key) ? (member, entry) : nil
            }
        }
        return odd(globals, ATSKey.globalBooleans, in: nil)
            + entries.flatMap { odd($0.values ?? [], ATSKey.exceptionBooleans, in: $0) }
            + pins.flatMap { odd($0.values ?? [], [ATSKey.includesSubdomains], in: $0) }
    }
}
