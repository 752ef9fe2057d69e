import ATSPolicy
import Records
import Text

/// Merges entries of hosts under one parent, or addresses of one network, that all need the same keys.
extension Suggester {
    /// Merges each family, unless that loosens a recorded load that needs nothing, or blocks one.
    func mergeFamilies(in keys: inout SuggestedKeys) {
        let hosts = Set(cases.map { $0.target.entryName })
        for family in families(of: keys.entries) {
            // Merging would loosen a host of the family that is allowed without an entry.
            guard hosts.allSatisfy({ !family.holds($0) || keys.entries[$0] == family.keys }) else { continue }
            var merged = keys
            for member in family.members { merged.entries[member] = nil }
            var parent = family.keys
            parent.includesSubdomains = !family.isNetwork
            merged.entries[family.name] = parent
            let places = cases.indices.filter { family.holds(cases[$0].target.entryName) }
            var (before, after) = (SuggestionTrial(keys, by: rules), SuggestionTrial(merged, by: rules))
            if after.passing(cases, at: places) >= before.passing(cases, at: places) { keys = merged }
        }
    }

    private func families(of entries: [String: EntryKeys]) -> [EntryFamily] {
        var families: [EntryFamily.Key: [String]] = [:]
        for (host, keys) in entries {
            if let key = EntryFamily.Key(of: host, keys) { families[key, default: []].append(host) }
        }
        return families.filter { $0.value.count >= EntryFamily.fewest }
            .map { EntryFamily(key: $0.key, children: $0.value, entries: entries) }.sorted { $0.name < $1.name }
    }
}

/// Entries that one entry can replace.
private struct EntryFamily {
    struct Key: Hashable {
        /// A parent domain, or a range.
        let name: String
        let network: AddressBlock?
        let keys: EntryKeys

        /// nil if the parent domain belongs to other owners.
        init?(of host: String, _ keys: EntryKeys) {
            self.keys = keys
            if let address = IPAddress(host) {
                let bits = if case .v4 = address { 24 } else { 64 }
                guard let network = AddressBlock(address, prefixBits: bits) else { return nil }
                self.network = network
                name = "\(network.network)/\(bits)"
                return
            }
            let labels = host.split(separator: ".", omittingEmptySubsequences: false)
            let parent = labels.dropFirst().joined(separator: ".")
            guard labels.count > 2, !SharedDomains.contains(parent) else { return nil }
            network = nil
            name = parent
        }
    }

    let key: Key
    /// The entries that are replaced, including the parent's own if it needs the same keys.
    let members: [String]

    init(key: Key, children: [String], entries: [String: EntryKeys]) {
        self.key = key
        members = children + (key.network == nil && entries[key.name] == key.keys ? [key.name] : [])
    }

    var name: String { key.name }
    var keys: EntryKeys { key.keys }
    var isNetwork: Bool { key.network != nil }

    func holds(_ host: String) -> Bool {
        if let network = key.network { return IPAddress(host).map(network.contains) ?? false }
        return HostGrammar.isHost(host, atOrBelow: name)
    }

    /// With this many members, one entry is easier to understand than all.
    static let fewest = 4
}
