public import ATSPolicy
import Text

extension NameMask {
    /// Returns a dictionary for reports. Its entries have the same names as masked loads.
    public func declaration(_ declaration: Declaration) -> Declaration {
        self.declaration(declaration, keepingNamesOf: [])
    }

    /// Returns a dictionary for loads that may be older than the patterns. Entries that serve hosts recorded
    /// by name keep their names, and come before the masked entries.
    ///
    /// - Parameter hosts: hosts of the loads.
    public func declaration(_ declaration: Declaration, meeting hosts: some Collection<String>) -> Declaration {
        // A masked address looks like any other.
        let named = hosts.filter { IPAddress($0) == nil && host($0) != $0 }
        guard named.isEmpty || hosts.contains(where: holdsToken) else { return declaration }
        return self.declaration(declaration, keepingNamesOf: named)
    }

    private func holdsToken(_ host: String) -> Bool {
        host.split(separator: ".").contains { isToken(String($0)) }
    }

    private func declaration(_ declaration: Declaration, keepingNamesOf hosts: [String]) -> Declaration {
        var masked = declaration
        masked.source = declaration.source.map(file)
        masked.bundleID = declaration.bundleID.map(bundle)
        masked.members = members(declaration.members, keeping: hosts)
        masked.strays = declaration.strays.map(stray)
        masked.notes = declaration.notes.map { sentence($0) }
        return masked
    }

    private func members(_ members: [PropertyMember], keeping hosts: [String]) -> [PropertyMember] {
        members.map { member in
            var masked = member
            masked.node.value = value(member.node.value, of: member.key, keeping: hosts)
            return masked
        }
    }

    /// Masks members whose keys are hosts.
    private func entries(_ members: [PropertyMember], keeping hosts: [String]) -> [PropertyMember] {
        var entries: [PropertyMember] = []
        for member in self.members(members, keeping: []) {
            let name = HostGrammar.normalized(member.key)
            if hosts.contains(where: { HostGrammar.isHost($0, atOrBelow: name) }) { entries.append(member) }
            var masked = member
            masked.key = entry(member.key)
            // Loads of different age need both names of a host; do not repeat equal entries.
            if !entries.contains(masked) { entries.append(masked) }
        }
        return entries
    }

    private func value(_ value: PropertyValue, of key: String, keeping hosts: [String]) -> PropertyValue {
        switch value {
        case .string(let text): .string(key == ATSKey.pinIdentity ? pin(text) : sentence(text))
        case .array(let nodes):
            .array(nodes.map { PropertyNode(self.value($0.value, of: key, keeping: hosts), line: $0.line) })
        case .dictionary(let members):
            .dictionary(
                key == ATSKey.exceptionDomains || key == ATSKey.pinnedDomains
                    ? entries(members, keeping: hosts) : self.members(members, keeping: hosts))
        case .boolean, .integer, .real, .data, .date: value
        }
    }

    private func stray(_ stray: StrayKey) -> StrayKey {
        StrayKey(keyPath: sentence(stray.keyPath), line: stray.line, kind: stray.kind)
    }

    /// Masks the path of a file. A usual file extension stays, because it shows the file's type.
    public func file(_ path: String) -> String {
        guard hidesAll, path != "-" else { return path }
        let name = path.split(separator: "/").last ?? ""
        let ending = name.split(separator: ".").dropFirst().last.map { ".\($0)" } ?? ""
        let isUsual = Self.fileEndings.contains(ending.asciiLowered)
        guard !isToken(String(name.prefix { $0 != "." })) else { return path }
        return token("f", path) + (isUsual ? ending : "")
    }

    /// Extensions of files that contain dictionaries.
    private static let fileEndings: Set<String> = [
        ".plist", ".app", ".appex", ".ipa", ".xcarchive", ".json", ".zip", ".xml", ".txt",
    ]

    /// Masks the name of a recording.
    public func recording(_ name: String) -> String { hidesAll ? token("r", name) : name }

    /// Masks the label of a listener.
    func label(_ label: String) -> String { hidesAll ? token("l", label) : label }

    /// Masks a bundle identifier.
    func bundle(_ bundle: String) -> String { hidesAll ? token("b", bundle) : bundle }

    /// Masks a User-Agent, except for the products of the system.
    func userAgent(_ agent: String) -> String {
        guard hidesAll else { return agent }
        let products = agent.split(separator: " ").filter { $0.hasPrefix("CFNetwork/") || $0.hasPrefix("Darwin/") }
        return ([token("u", agent)] + products.map(String.init)).joined(separator: " ")
    }
}
