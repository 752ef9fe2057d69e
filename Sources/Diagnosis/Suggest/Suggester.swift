public import ATSPolicy
public import Records
import Text

/// Finds the smallest dictionary for recorded loads by trial.
///
/// Each host gets the least permissive entry that allows its loads. Hosts with equal entries are merged if that loosens
/// no other host. Then each entry and each key is removed for a trial, and stays removed if no load needs it.
public struct Suggester: Sendable {
    let old: Declaration
    let rules: SuggestionTrial.Rules
    private let mayAllowArbitraryLoads: Bool
    private(set) var cases: [LoadGroup] = []
    private var places: [LoadGroup.Key: Int] = [:]
    private(set) var systems: [String] = []

    /// - Parameters:
    ///   - old: the dictionary in use. Its pins and its NIAP package are kept; its other entries are checked for use.
    ///   - mayAllowArbitraryLoads: allows NSAllowsArbitraryLoads for loads that no other key helps.
    public init(old: Declaration, switches: JudgeSwitches, appTrust: AppTrust, mayAllowArbitraryLoads: Bool) {
        self.old = old
        rules = SuggestionTrial.Rules(switches: switches, appTrust: appTrust)
        self.mayAllowArbitraryLoads = mayAllowArbitraryLoads
    }

    /// Adds loads, to be judged by the release of their group. Loads of an unknown release are left out.
    public mutating func add(_ group: LoadGroup) {
        guard let system = group.system else { return }
        if !systems.contains(system.name) { systems.append(system.name) }
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
        keepGuards(in: &keys)
        return report(keys, entries.filter { $0.keys == nil || keys.entries[$0.name] != nil })
    }

    // MARK: Global keys

    /// The global keys.
    private func base() -> SuggestedKeys {
        var keys = SuggestedKeys()
        keys.kept = old.members.filter { member in
            [ATSKey.pinnedDomains, ATSKey.niapVersion].contains(member.key)
                || (member.key == ATSKey.localNetworking && member.node.value != .boolean(true))
        }
        let plain = keys
        keys.allowsLocalNetworking = true
        var (without, with) = (SuggestionTrial(plain, by: rules), SuggestionTrial(keys, by: rules))
        // The key allows local hosts only, and the App Store requires no justification for it.
        keys.allowsLocalNetworking = cases.contains { !without.replay($0).passes && with.replay($0).passes }
        guard mayAllowArbitraryLoads else { return keys }
        var free = plain
        free.allowsArbitraryLoads = true
        var best = keys
        best.entries = entries(over: keys)
        var (careful, last) = (SuggestionTrial(best, by: rules), SuggestionTrial(free, by: rules))
        return cases.contains { !careful.replay($0).passes && last.replay($0).passes } ? free : keys
    }

    // MARK: Hosts

    /// The least permissive entry for each host. All hosts are tried together with the same keys, because entries of
    /// exact hosts do not affect each other.
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

    /// Hosts with a load that is not allowed, and all their cases. An address is spelled as an entry must name it.
    private func needyHosts(under keys: SuggestedKeys) -> [String: [Int]] {
        var trial = SuggestionTrial(keys, by: rules)
        var needy: Set<String> = []
        var hosts: [String: [Int]] = [:]
        for (place, load) in cases.enumerated() {
            let host = load.target.entryName
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
