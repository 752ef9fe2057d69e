import ATSPolicy
import Records

/// Keeps the entries of the old dictionary that make ATS stricter, so that the suggestion permits nothing more than the
/// old dictionary and the entries that recorded loads need.
extension Suggester {
    /// Adds the old entries without which a load would be permitted that the old dictionary blocks, or have weaker
    /// requirements. An entry that a recorded load needs is left as suggested.
    func keepGuards(in keys: inout SuggestedKeys) {
        let profiles = cases.reduce(into: [OSProfile]()) { known, load in
            if !known.contains(load.profile) { known.append(load.profile) }
        }
        for entry in old.entries where keys.entries[entry.key] == nil {
            let hosts = Declaration.sampleHosts(ofEntry: entry.key)
            let declaration = keys.declaration
            let isGuard = profiles.contains { profile in
                let before = Judge(declaration: old, profile: profile, switches: rules.switches)
                let after = Judge(declaration: declaration, profile: profile, switches: rules.switches)
                return after.isLooser(than: before, for: hosts)
            }
            guard isGuard else { continue }
            keys.keptEntries.removeAll { $0.key == entry.key }
            keys.keptEntries.append(entry)
        }
    }
}
