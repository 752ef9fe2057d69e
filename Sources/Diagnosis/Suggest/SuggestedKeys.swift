public import ATSPolicy

/// A dictionary that is being built.
public struct SuggestedKeys: Sendable, Hashable {
    public var allowsLocalNetworking = false
    public var allowsArbitraryLoads = false
    /// Entries by their key: a host, an address or a range.
    public var entries: [String: EntryKeys] = [:]
    /// Members of the old dictionary that make ATS stricter and are kept: pins, the NIAP package, and
    /// NSAllowsLocalNetworking unless it is true.
    public var kept: [PropertyMember] = []
    /// Entries of the old dictionary that make ATS stricter for their hosts and are kept.
    public var keptEntries: [PropertyMember] = []

    /// Contents of `NSAppTransportSecurity`, sorted.
    public var members: [PropertyMember] {
        var members = kept
        if allowsLocalNetworking {
            members.removeAll { $0.key == ATSKey.localNetworking }
            members.append(.flag(ATSKey.localNetworking, true))
        }
        if allowsArbitraryLoads { members.append(.flag(ATSKey.arbitraryLoads, true)) }
        let suggested = entries.map { host, keys in
            PropertyMember(key: host, node: PropertyNode(.dictionary(keys.settings.map(PropertyMember.init(setting:)))))
        }
        let domains = (suggested + keptEntries.filter { entries[$0.key] == nil }).sorted { $0.key < $1.key }
        if !domains.isEmpty {
            members.append(PropertyMember(key: ATSKey.exceptionDomains, node: PropertyNode(.dictionary(domains))))
        }
        return members.sorted { $0.key < $1.key }
    }

    /// The dictionary in the form that ``Judge`` takes.
    var declaration: Declaration {
        var declaration = Declaration.secureDefaults
        declaration.members = members
        return declaration
    }

    /// The keys without one entry.
    func without(_ entry: String) -> SuggestedKeys {
        var keys = self
        keys.entries[entry] = nil
        return keys
    }
}

extension PropertyMember {
    static func flag(_ key: String, _ flag: Bool) -> PropertyMember {
        PropertyMember(key: key, node: PropertyNode(.boolean(flag)))
    }

    init(setting: ExceptionFix.Setting) {
        let value: PropertyValue =
            switch setting.value {
            case .flag(let flag): .boolean(flag)
            case .text(let text): .string(text)
            }
        self.init(key: setting.key, node: PropertyNode(value))
    }
}
