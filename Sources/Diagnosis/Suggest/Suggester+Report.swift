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
        let use = DictionaryUse(old, cases: cases, by: rules)
        return Suggestion(
            keys: keys, entries: entries, unused: unused(in: use, keys), removed: removed(keys),
            unfixable: unfixable.rows,
            undecided: undecided.rows, passing: passing, judged: cases.reduce(0) { $0 + $1.loads }, systems: systems,
            replaced: replaced(in: use, keys), kept: keys.keptEntries.map(\.key))
    }

    /// Entries of the old dictionary that apply to no load, or whose loads have the same result without them. An entry
    /// that is needed without NSAllowsArbitraryLoads, or kept, is not among them.
    private func unused(in use: DictionaryUse, _ keys: SuggestedKeys) -> [Suggestion.UnusedEntry] {
        let kept = Set(keys.entries.keys).union(keys.keptEntries.map(\.key))
        return use.parts.compactMap { part in
            guard part.isEntry || part.name == ATSKey.arbitraryLoads, let why = part.why, !kept.contains(part.name)
            else { return nil }
            return Suggestion.UnusedEntry(entry: part.name, why: why)
        }
    }

    /// NSAllowsArbitraryLoads, if the suggestion replaces it by entries.
    private func replaced(in use: DictionaryUse, _ keys: SuggestedKeys) -> Suggestion.ReplacedKey? {
        guard !keys.allowsArbitraryLoads, let part = use.parts.first(where: { $0.name == ATSKey.arbitraryLoads }),
            !part.isUnused
        else { return nil }
        return Suggestion.ReplacedKey(name: part.name, hosts: part.hosts, unknown: part.undecided)
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
