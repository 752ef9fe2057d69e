public import ATSPolicy
import Records
import Text

/// Finds the smallest dictionary for recorded loads, by trying.
///
/// Each host gets the least that lets its loads pass; hosts that need the same are put together where nothing else is
/// loosened by it; then each entry and each key is taken away, and what nothing misses stays away.
public struct Suggester: Sendable {
    let old: Declaration
    let rules: SuggestionTrial.Rules
    private let mayGiveUp: Bool
    private(set) var cases: [EvidenceGroup] = []
    private var places: [EvidenceGroup.Key: Int] = [:]
    private(set) var systems: [String] = []

    /// - Parameters:
    ///   - old: the dictionary in use; its pins and its NIAP package are kept, its other entries held against the loads.
    ///   - mayGiveUp: NSAllowsArbitraryLoads may be suggested for what nothing else helps.
    public init(old: Declaration, switches: JudgeSwitches, appTrust: AppTrust, mayGiveUp: Bool) {
        self.old = old
        rules = SuggestionTrial.Rules(switches: switches, appTrust: appTrust)
        self.mayGiveUp = mayGiveUp
    }

    /// Takes loads in.
    public mutating func add(_ group: EvidenceGroup) {
        if !systems.contains(group.profile.name) { systems.append(group.profile.name) }
        guard let key = group.key else { return cases.append(group) }
        if let place = places[key] {
            cases[place].loads += group.loads
        } else {
            places[key] = cases.count
            cases.append(group)
        }
    }

    public func suggestion() -> Suggestion {
        var keys = base()
        keys.entries = entries(over: keys)
        mergeFamilies(in: &keys)
        let entries = prove(&keys)
        return report(keys, entries)
    }

    // MARK: Global keys

    /// What holds before any host is looked at.
    private func base() -> SuggestedKeys {
        var keys = SuggestedKeys()
        keys.kept = old.members.filter { $0.key == ATSKey.pinnedDomains || $0.key == ATSKey.niapVersion }
        let plain = keys
        keys.allowsLocalNetworking = true
        var (without, with) = (SuggestionTrial(plain, by: rules), SuggestionTrial(keys, by: rules))
        // The key frees local hosts and no others, and the App Store asks for no reasons.
        keys.allowsLocalNetworking = cases.contains { !without.replay($0).passes && with.replay($0).passes }
        guard mayGiveUp else { return keys }
        var free = plain
        free.allowsArbitraryLoads = true
        var best = keys
        best.entries = entries(over: keys)
        var (careful, last) = (SuggestionTrial(best, by: rules), SuggestionTrial(free, by: rules))
        return cases.contains { !careful.replay($0).passes && last.replay($0).passes } ? free : keys
    }

    // MARK: Hosts

    /// The least for each host. All hosts are tried with the same keys at once: entries of exact hosts do not touch each
    /// other.
    private func entries(over keys: SuggestedKeys) -> [String: EntryKeys] {
        let hosts = needyHosts(under: keys)
        var best: [String: (keys: EntryKeys, passing: Int)] = [:]
        for loosened in EntryKeys.all {
            var tried = keys
            if !loosened.isEmpty { for host in hosts.keys { tried.entries[host] = loosened } }
            var trial = SuggestionTrial(tried, by: rules)
            for (host, places) in hosts {
                let passing = trial.passing(cases, at: places)
                if passing > best[host]?.passing ?? -1 { best[host] = (loosened, passing) }
            }
        }
        return best.mapValues(\.keys).filter { !$0.value.isEmpty }
    }

    /// Hosts with a load that does not pass, and all their cases. An address is written as an entry has to name it.
    private func needyHosts(under keys: SuggestedKeys) -> [String: [Int]] {
        var trial = SuggestionTrial(keys, by: rules)
        var needy: Set<String> = []
        var hosts: [String: [Int]] = [:]
        for (place, load) in cases.enumerated() {
            let host = load.evidence.target.entryName
            hosts[host, default: []].append(place)
            if !trial.replay(load).passes { needy.insert(host) }
        }
        return hosts.filter { needy.contains($0.key) }
    }
}

extension LoadTarget {
    /// The key of an entry for exactly this host.
    var entryName: String { address?.description ?? host }
}
