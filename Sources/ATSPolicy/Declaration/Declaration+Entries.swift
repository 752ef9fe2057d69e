import Text

/// Variants of a dictionary with other exceptions, to judge what would happen if the app shipped them.
extension Declaration {
    /// Returns the dictionary with a fix added, in the existing entry of its domain if there is one.
    public func adding(_ fix: ExceptionFix) -> Declaration {
        changingEntries { entries in
            var keys = entries.keys(of: fix.domain) ?? []
            for setting in fix.settings { keys.set(setting.key, to: setting.value.node) }
            entries.set(fix.domain, to: PropertyNode(.dictionary(keys)))
        }
    }

    /// Returns a fix of an entry that covers a host through its subdomains or its range, as an entry of the host's own.
    ///
    /// That entry has the settings of the other one, because it replaces it for the host. So no other host is relaxed.
    public func narrowed(_ fix: ExceptionFix, to target: LoadTarget) -> ExceptionFix {
        let own = target.address?.description ?? target.host
        guard fix.domain != own, let keys = entries.keys(of: fix.domain) else { return fix }
        let kept = keys.compactMap(ExceptionFix.Setting.init).filter { setting in
            setting.key != ATSKey.includesSubdomains && !fix.settings.contains { $0.key == setting.key }
        }
        return ExceptionFix(domain: own, settings: kept + fix.settings)
    }

    /// Returns the dictionary without an entry of `NSExceptionDomains`.
    public func removing(entry: String) -> Declaration {
        changingEntries { $0.removeAll { $0.key == entry } }
    }

    /// Returns the dictionary without a key of an entry.
    public func removing(_ key: String, ofEntry entry: String) -> Declaration {
        changingEntries { entries in
            guard var keys = entries.keys(of: entry) else { return }
            keys.removeAll { $0.key == key }
            entries.set(entry, to: PropertyNode(.dictionary(keys), line: entries.last(entry)?.node.line))
        }
    }

    /// Returns the dictionary without the entries and pins that cannot match a host. Every judge rules on the host's
    /// loads as it would with the whole dictionary, but is built without a walk over a hundred thousand entries.
    public func narrowed(to target: LoadTarget) -> Declaration {
        let host = target.host
        let address = target.address
        var names = Set([host, String(HostGrammar.withoutTrailingDot(host[...]))])
        if let address { names.insert(address.description) }
        for name in names { names.formUnion(HostGrammar.parents(of: name[...]).map(String.init)) }
        return with(
            members.map { member in
                guard case .dictionary(let entries) = member.node.value else { return member }
                var member = member
                switch member.key {
                case ATSKey.exceptionDomains:
                    member.node.value = .dictionary(
                        entries.filter {
                            names.contains($0.key) || address != nil && $0.key.utf8.contains(UInt8(ascii: "/"))
                        })
                case ATSKey.pinnedDomains:
                    member.node.value = .dictionary(entries.filter { names.contains($0.key.lowercased()) })
                default: break
                }
                return member
            })
    }

    /// Returns the dictionary with its members replaced.
    public func with(_ members: [PropertyMember]) -> Declaration {
        var changed = self
        changed.members = members
        return changed
    }

    /// The members of `NSExceptionDomains`, in the order of the file.
    public var entries: [PropertyMember] { members.keys(of: ATSKey.exceptionDomains) ?? [] }

    private func changingEntries(_ change: (inout [PropertyMember]) -> Void) -> Declaration {
        var entries = entries
        change(&entries)
        var changed = self
        if entries.isEmpty {
            changed.members.removeAll { $0.key == ATSKey.exceptionDomains }
        } else {
            changed.members.set(ATSKey.exceptionDomains, to: PropertyNode(.dictionary(entries)))
        }
        return changed
    }
}

extension [PropertyMember] {
    /// Returns the members of a dictionary; nil if there is none with that key.
    public func keys(of key: String) -> [PropertyMember]? {
        if case .dictionary(let members)? = last(key)?.node.value { return members }
        return nil
    }

    /// Replaces a value, or appends it.
    fileprivate mutating func set(_ key: String, to node: PropertyNode) {
        guard let index = lastIndex(where: { $0.key == key }) else {
            return append(PropertyMember(key: key, node: node))
        }
        self[index].node = node
    }
}

extension ExceptionFix.Value {
    /// The value as a property list node.
    public var node: PropertyNode {
        switch self {
        case .flag(let flag): PropertyNode(.boolean(flag))
        case .text(let text): PropertyNode(.string(text))
        }
    }
}

extension ExceptionFix.Setting {
    /// The setting that a member of an entry makes; nil for a value that is neither a Boolean nor a text.
    fileprivate init?(_ member: PropertyMember) {
        switch member.node.value {
        case .boolean(let flag): self.init(member.key, .flag(flag))
        case .string(let text): self.init(member.key, .text(text))
        case .integer(let number) where number == 0 || number == 1: self.init(member.key, .flag(number == 1))
        case .integer, .real, .data, .date, .array, .dictionary: return nil
        }
    }
}
