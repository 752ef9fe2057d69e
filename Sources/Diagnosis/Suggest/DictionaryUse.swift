public import ATSPolicy
public import Records

/// The effect of each key of a dictionary on recorded loads: how many it applied to, and how many it changed the result
/// of.
public struct DictionaryUse: Sendable {
    /// An entry of `NSExceptionDomains`, or another member of the dictionary.
    public struct Part: Sendable {
        /// The host of an entry, or the name of a global key.
        public let name: String
        public let isEntry: Bool
        /// Line in the file; nil if the format has no lines.
        public let line: Int?
        public let node: PropertyNode
        /// Loads that the part applied to; for a global key all judged loads of its loader.
        public fileprivate(set) var served = 0
        /// Loads that would have had another result without the part.
        public fileprivate(set) var needed = 0
        /// Hosts of those loads, each once, in order of first occurrence.
        public fileprivate(set) var hosts: [String] = []
        /// Rules that would have decided those loads without the part, each once.
        public fileprivate(set) var rules: [RuleID] = []
        /// Loads whose result without the part is unknown.
        public fileprivate(set) var undecided = 0

        /// True if no load is known to need the part.
        public var isUnused: Bool { needed == 0 && undecided == 0 }
        /// The number of loads that need the part, or that it is unknown for all.
        public var neededWords: String { needed == 0 && undecided > 0 ? "unknown" : String(needed) }
        /// The reason why the part is unused; nil if it is used.
        public var why: String? {
            guard isUnused else { return nil }
            return served == 0 ? "no load used it" : "its loads have the same result without it"
        }
    }

    /// In the order of the file, entries after the global keys.
    public let parts: [Part]

    /// - Parameter loads: those of an unknown release are left out.
    public init(
        _ declaration: Declaration, loads: [LoadGroup], switches: JudgeSwitches, appTrust: AppTrust = .systemOnly
    ) {
        var suggester = Suggester(
            old: declaration, switches: switches, appTrust: appTrust, mayAllowArbitraryLoads: false)
        for group in loads { suggester.add(group) }
        self.init(declaration, cases: suggester.cases, by: suggester.rules)
    }

    init(_ declaration: Declaration, cases: [LoadGroup], by rules: SuggestionTrial.Rules) {
        var trial = SuggestionTrial(declaration, by: rules)
        let answers = cases.map { trial.replay($0) }
        var served: [String: [Int]] = [:]
        for (place, answer) in answers.enumerated() {
            if let entry = answer.basis.entry, !answer.basis.isBuiltIn { served[entry, default: []].append(place) }
        }
        func compared(_ part: Part, at places: [Int], without lesser: Declaration) -> Part {
            var part = part
            var without = SuggestionTrial(lesser, by: rules)
            for place in places {
                part.count(cases[place], answers[place], without: without.replay(cases[place]))
            }
            return part
        }
        let globals = declaration.members.filter { $0.key != ATSKey.exceptionDomains }.map { member in
            compared(
                Part(member, isEntry: false), at: Array(cases.indices),
                without: declaration.with(declaration.members.filter { $0.key != member.key }))
        }
        let entries = declaration.entries.map { member in
            compared(
                Part(member, isEntry: true), at: served[member.key] ?? [],
                without: declaration.removing(entry: member.key))
        }
        parts = globals + entries
    }
}

extension DictionaryUse.Part {
    /// True if the key applies to loads of this loader (documented: Apple, NSAllowsArbitraryLoadsInWebContent and
    /// NSAllowsArbitraryLoadsForMedia). Other loads may still need the key, because it turns NSAllowsArbitraryLoads
    /// off.
    private func serves(_ loader: Loader) -> Bool {
        switch name {
        case ATSKey.inWebContent where !isEntry: loader == .web
        case ATSKey.forMedia where !isEntry: loader == .media
        default: true
        }
    }

    fileprivate init(_ member: PropertyMember, isEntry: Bool) {
        name = member.key
        self.isEntry = isEntry
        line = member.keyLine
        node = member.node
    }

    fileprivate mutating func count(_ load: LoadGroup, _ now: ReplayedLoad, without then: ReplayedLoad) {
        if serves(load.first.client.loader) { served += load.loads }
        guard now.verdict != then.verdict || now.rule != then.rule else { return }
        guard then.verdict != .undecidable, now.verdict != .undecidable else { return undecided += load.loads }
        needed += load.loads
        let host = load.target.host
        if !hosts.contains(host) { hosts.append(host) }
        if let rule = then.rule ?? now.rule, !rules.contains(rule) { rules.append(rule) }
    }
}
