/// Finds the pins of a host. Source: Apple, NSPinnedDomains; docs/law/pinning.md#matching.
struct PinIndex: Sendable {
    /// By lower-case key; entries whose keys differ only in case are merged.
    private var hosts: [Substring: PinDemands] = [:]
    /// The subset that includes subdomains.
    private var parents: [Substring: PinDemands] = [:]

    var isEmpty: Bool { hosts.isEmpty }

    init(_ pins: [PinnedDomain]) {
        for pin in pins where pin.hasIdentities {
            let key = pin.domain.lowercased()[...]
            let demands = PinDemands(pin)
            hosts[key] = hosts[key]?.union(demands) ?? demands
            if pin.includesSubdomains { parents[key] = parents[key]?.union(demands) ?? demands }
        }
    }

    /// Returns the merged pins of all matching entries. Ignores case and one trailing dot; subdomains match exactly one
    /// label deep.
    func demands(for host: String) -> PinDemands? {
        guard !hosts.isEmpty else { return nil }
        let name = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        let exact = hosts[name]
        guard !parents.isEmpty, let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")),
            let parent = parents[name[name.utf8.index(after: dot)...]]
        else { return exact }
        return exact?.union(parent) ?? parent
    }
}

extension PinDemands {
    fileprivate init(_ pin: PinnedDomain) {
        self.init(
            leaf: pin.leafIdentities.map { Set($0) }, authority: pin.authorityIdentities.map { Set($0) },
            entries: [pin.domain])
    }
}
