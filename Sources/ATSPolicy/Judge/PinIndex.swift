/// Which identities a host is pinned to. Source: Apple, NSPinnedDomains; docs/law/pinning.md#matching.
struct PinIndex: Sendable {
    /// By key in lower case; entries whose keys differ only in case are merged.
    private var hosts: [Substring: PinDemands] = [:]
    /// The part of them that serves subdomains.
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

    /// Case-insensitive, one trailing dot dropped; subdomains reach exactly one label deep; all entries that match are
    /// merged.
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
