import ATSPolicy
import Records

extension Suggester {
    /// The results of all loads under the finished dictionary, and the use of the old entries.
    func report(_ keys: SuggestedKeys, _ entries: [Suggestion.Entry]) -> Suggestion {
        var trial = SuggestionTrial(keys, by: rules)
        var unfixable = OpenList()
        var undecided = OpenList()
        var passing = 0
        for load in cases {
            let answer = trial.replay(load)
            if answer.passes {
                passing += load.loads
            } else if answer.verdict == .undecidable {
                undecided.add(Suggestion.OpenLoad(load, answer))
            } else {
                unfixable.add(Suggestion.OpenLoad(load, answer))
            }
        }
        return Suggestion(
            keys: keys, entries: entries, unused: unused, unfixable: unfixable.rows, undecided: undecided.rows,
            passing: passing, judged: cases.reduce(0) { $0 + $1.loads }, systems: systems, dropped: tightening)
    }

    /// Entries of the old dictionary that apply to no load, or whose loads have the same result without them.
    private var unused: [Suggestion.UnusedEntry] {
        DictionaryUse(old, cases: cases, by: rules).parts.compactMap { part in
            guard part.isEntry, let why = part.why else { return nil }
            return Suggestion.UnusedEntry(entry: part.name, why: why)
        }
    }

    /// Keys of old entries that require more than the secure defaults.
    private var tightening: [String] {
        old.entries.flatMap { domain -> [String] in
            guard case .dictionary(let members) = domain.node.value else { return [] }
            return members.filter(\.isTightening).map { "\(domain.key).\($0.key)" }
        }
    }
}

/// Loads of one origin with the same problem, counted together.
private struct OpenList {
    private var places: [Suggestion.OpenLoad: Int] = [:]
    private(set) var rows: [Suggestion.OpenLoad] = []

    mutating func add(_ open: Suggestion.OpenLoad) {
        let key = Suggestion.OpenLoad(
            url: "", host: open.host, os: open.os, rule: open.rule, loads: 0, server: open.server, why: open.why,
            origin: open.origin)
        if let place = places[key] {
            rows[place].loads += open.loads
        } else {
            places[key] = rows.count
            rows.append(open)
        }
    }
}

extension PropertyMember {
    fileprivate var isTightening: Bool {
        switch (key, node.value) {
        case (ATSKey.minimumTLS, .string(TLSVersion.tls13.declarationName)): true
        case (ATSKey.certificateTransparency, .boolean(true)): true
        case (ATSKey.exceptionNIAPVersion, .string(let package)): package != NIAPPackage.none.rawValue
        default: false
        }
    }
}
