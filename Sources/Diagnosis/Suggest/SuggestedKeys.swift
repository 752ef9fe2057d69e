public import ATSPolicy

/// A dictionary in the making.
public struct SuggestedKeys: Sendable, Hashable {
    public var allowsLocalNetworking = false
    public var allowsArbitraryLoads = false
    /// By the key as written: a host, an address or a range.
    public var entries: [String: EntryKeys] = [:]
    /// What tightens in the old dictionary, and is not for an exception to undo: pins and the NIAP package.
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

    /// The dictionary as a judge reads it.
    var declaration: Declaration {
        var declaration = Declaration.secureDefaults
        declaration.members = members
        return declaration
    }

    /// The same without one entry.
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
