import ATSPolicy
import Records

/// Judges the loads of each part that the suggestion lacks under both dictionaries.
extension Suggester {
    /// The parts of the old dictionary that `keys` lack.
    func removed(_ keys: SuggestedKeys) -> [Suggestion.RemovedPart] {
        let globals = globalsWithout(keys)
        let parts = globals + entriesWithout(keys)
        guard !parts.isEmpty else { return [] }
        var (before, after) = (SuggestionTrial(old, by: rules), SuggestionTrial(keys, by: rules))
        var uses = parts.map { RemovedUse(part: $0) }
        let entries = Dictionary(grouping: globals.count..<parts.count) { parts[$0].name }
        for load in cases {
            let (then, now) = (before.replay(load), after.replay(load))
            for place in globals.indices where then.applies(parts[place].name, to: load.first.client.loader) {
                uses[place].count(load, then, now)
            }
            guard let entry = then.basis.entry, !then.basis.isBuiltIn else { continue }
            for place in entries[entry] ?? [] { uses[place].count(load, then, now) }
        }
        return uses.map(\.whole)
    }

    private func globalsWithout(_ keys: SuggestedKeys) -> [Suggestion.RemovedPart] {
        let left = Set(keys.members.map(\.key))
        return old.members.filter { $0.key != ATSKey.exceptionDomains && !left.contains($0.key) }.map {
            Suggestion.RemovedPart(name: $0.key, key: nil, line: $0.keyLine)
        }
    }

    /// Entries, and keys of entries that remain.
    private func entriesWithout(_ keys: SuggestedKeys) -> [Suggestion.RemovedPart] {
        let kept = Set(keys.keptEntries.map(\.key))
        return old.entries.filter { !kept.contains($0.key) }.flatMap { entry -> [Suggestion.RemovedPart] in
            guard let suggested = keys.entries[entry.key] else {
                return [Suggestion.RemovedPart(name: entry.key, key: nil, line: entry.keyLine)]
            }
            guard case .dictionary(let settings) = entry.node.value else { return [] }
            let left = Set(suggested.settings.map(\.key))
            return settings.filter { !left.contains($0.key) }.map {
                Suggestion.RemovedPart(name: entry.key, key: $0.key, line: $0.keyLine)
            }
        }
    }
}

/// The loads of a removed part while they are counted.
private struct RemovedUse {
    var part: Suggestion.RemovedPart
    private var hosts: Set<String> = []

    init(part: Suggestion.RemovedPart) { self.part = part }

    mutating func count(_ load: LoadGroup, _ then: ReplayedLoad, _ now: ReplayedLoad) {
        part.loads += load.loads
        hosts.insert(load.target.host)
        if now.verdict == .undecidable, then.verdict != .undecidable {
            part.unknown += load.loads
        } else if then.passes, !now.passes {
            part.lost += load.loads
        }
    }

    var whole: Suggestion.RemovedPart {
        var part = part
        part.hosts = hosts.sorted()
        return part
    }
}

extension ReplayedLoad {
    /// True if a global key can affect the load, made by `loader`. Sources: Apple, NSAllowsLocalNetworking,
    /// NSAllowsArbitraryLoadsInWebContent and NSAllowsArbitraryLoadsForMedia (documented).
    fileprivate func applies(_ key: String, to loader: Loader) -> Bool {
        switch key {
        case ATSKey.localNetworking: basis.isLocal
        case ATSKey.inWebContent: loader == .web
        case ATSKey.forMedia: loader == .media
        default: true
        }
    }
}
