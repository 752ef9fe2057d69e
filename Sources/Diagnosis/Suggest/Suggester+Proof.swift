import ATSPolicy
import Records

/// Removes each entry and each key for a trial, and judges the loads again.
extension Suggester {
    /// Removes every part of `keys` that no load needs.
    ///
    /// - Returns: the remaining parts, with the loads that need them.
    func prove(_ keys: inout SuggestedKeys) -> [Suggestion.Entry] {
        let served = served(by: keys)
        for host in keys.entries.keys.sorted() { shrink(host, serving: served[host] ?? [], in: &keys) }
        var proven: [Suggestion.Entry] = []
        for (host, entryKeys) in keys.entries.sorted(by: { $0.key < $1.key }) {
            let entry = entry(host, entryKeys, at: served[host] ?? [], of: keys, against: keys.without(host))
            if entry.lost > 0 { proven.append(entry) } else { keys.entries[host] = nil }
        }
        return globals(&keys) + proven
    }

    /// Removes single keys that are not needed, and entries that become empty.
    private func shrink(_ host: String, serving places: [Int], in keys: inout SuggestedKeys) {
        while let whole = keys.entries[host] {
            var now = SuggestionTrial(keys, by: rules)
            let passing = now.passing(cases, at: places)
            let lesser = whole.withoutOneKey.first { part in
                var tried = keys
                tried.entries[host] = part.isEmpty ? nil : part
                var trial = SuggestionTrial(tried, by: rules)
                return trial.passing(cases, at: places) >= passing
            }
            guard let lesser else { return }
            keys.entries[host] = lesser.isEmpty ? nil : lesser
        }
    }

    private func globals(_ keys: inout SuggestedKeys) -> [Suggestion.Entry] {
        var proven: [Suggestion.Entry] = []
        func prove(_ name: String, _ path: WritableKeyPath<SuggestedKeys, Bool>) {
            guard keys[keyPath: path] else { return }
            var without = keys
            without[keyPath: path] = false
            let entry = entry(name, nil, at: Array(cases.indices), of: keys, against: without)
            if entry.lost > 0 { proven.append(entry) } else { keys = without }
        }
        prove(ATSKey.arbitraryLoads, \.allowsArbitraryLoads)
        prove(ATSKey.localNetworking, \.allowsLocalNetworking)
        return proven
    }

    /// - Parameters:
    ///   - places: indices of the cases that it can affect.
    ///   - lesser: the keys without it.
    private func entry(
        _ name: String, _ entryKeys: EntryKeys?, at places: [Int], of keys: SuggestedKeys,
        against lesser: SuggestedKeys
    ) -> Suggestion.Entry {
        var (with, without) = (SuggestionTrial(keys, by: rules), SuggestionTrial(lesser, by: rules))
        var lost = 0
        var byRule: [RuleID: Int] = [:]
        var open: [Suggestion.OpenLoad] = []
        var isSure = false
        for load in places.map({ cases[$0] }) where with.replay(load).passes {
            let answer = without.replay(load)
            guard !answer.passes else { continue }
            lost += load.loads
            if let rule = answer.rule { byRule[rule, default: 0] += load.loads }
            if answer.verdict == .undecidable { open.append(Suggestion.OpenLoad(load, answer)) } else { isSure = true }
        }
        let rule = byRule.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
        return Suggestion.Entry(
            name: name, keys: entryKeys, lost: lost, rule: rule, doubt: isSure ? nil : open.first)
    }

    /// Indices of the cases, by the entry that applies to them.
    private func served(by keys: SuggestedKeys) -> [String: [Int]] {
        var trial = SuggestionTrial(keys, by: rules)
        var served: [String: [Int]] = [:]
        for place in cases.indices {
            if let entry = trial.replay(cases[place]).basis.entry { served[entry, default: []].append(place) }
        }
        return served
    }
}

extension Suggestion.OpenLoad {
    init(_ load: LoadGroup, _ answer: ReplayedLoad) {
        self.init(
            url: load.first.load.url, host: load.target.host, os: load.system?.name ?? "", rule: answer.rule,
            loads: load.loads,
            server: answer.law?.remedy?.sentences ?? [], why: answer.why, origin: load.target.origin)
    }
}
