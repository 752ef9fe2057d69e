import ATSPolicy
import Records

/// Keeps the entries of the old dictionary that make ATS stricter, so that the suggestion permits nothing more than the
/// old dictionary and the entries that recorded loads need.
extension Suggester {
    /// Adds the old entries without which a load would be permitted that the old dictionary blocks, or have weaker
    /// requirements. An entry that a recorded load needs is left as suggested, unless it no longer covers hosts below
    /// it for which the old one is stricter.
    func keepGuards(in keys: inout SuggestedKeys) {
        let profiles = cases.reduce(into: [OSProfile]()) { known, load in
            if let system = load.system, !known.contains(system) { known.append(system) }
        }
        var isStable = false
        // An entry that is kept may cover hosts of another one, which must then be kept as well.
        while !isStable {
            isStable = true
            let kept = Set(keys.keptEntries.map(\.key))
            for entry in old.entries
            where !kept.contains(entry.key) && keys.entries[entry.key]?.includesSubdomains != true {
                guard isGuard(entry.key, under: keys, on: profiles) else { continue }
                keys.entries[entry.key] = nil
                keys.keptEntries.removeAll { $0.key == entry.key }
                keys.keptEntries.append(entry)
                isStable = false
            }
        }
    }

    private func isGuard(_ key: String, under keys: SuggestedKeys, on profiles: [OSProfile]) -> Bool {
        let all = Declaration.sampleHosts(ofEntry: key)
        let hosts = keys.entries[key] == nil ? all : all.filter { $0.hasSuffix("." + key) }
        let declaration = keys.declaration
        return profiles.contains { profile in
            let before = Judge(declaration: old, profile: profile, switches: rules.switches)
            let after = Judge(declaration: declaration, profile: profile, switches: rules.switches)
            return after.isLooser(than: before, for: hosts)
        }
    }
}
