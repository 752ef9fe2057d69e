public import ATSPolicy

/// A dictionary that is being built.
public struct SuggestedKeys: Sendable, Hashable {
    public var allowsLocalNetworking = false
    public var allowsArbitraryLoads = false
    /// Entries by their key: a host, an address or a range.
    public var entries: [String: EntryKeys] = [:]
    /// Members of the old dictionary that make ATS stricter and are kept: pins and the NIAP package.
    public var kept: [PropertyMember] = []

    /// Contents of `NSAppTransportSecurity`, sorted.
    public var members: [PropertyMember] {
        var members = kept
        if allowsLocalNetworking { members.append(.flag(ATSKey.localNetworking, true)) }
        if allowsArbitraryLoads { members.append(.flag(ATSKey.arbitraryLoads, true)) }
        let domains = entries.sorted { $0.key < $1.key }.map { host, keys in
            PropertyMember(key: host, node: PropertyNode(.dictionary(keys.settings.map(PropertyMember.init(setting:)))))
        }
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
