public import ATSPolicy
import Text

extension NameMask {
    /// A dictionary as reports may tell of it: its entries have the names that masked loads have.
    public func declaration(_ declaration: Declaration) -> Declaration {
        var masked = declaration
        masked.source = declaration.source.map(file)
        masked.bundleID = declaration.bundleID.map(bundle)
        masked.members = members(declaration.members, areHosts: false)
        masked.warnings = declaration.warnings.map(warning)
        masked.notes = declaration.notes.map { sentence($0) }
        return masked
    }

    private func members(_ members: [PropertyMember], areHosts: Bool) -> [PropertyMember] {
        members.map { member in
            var masked = member
            if areHosts { masked.key = block(member.key) ?? host(member.key) }
            masked.node.value = value(member.node.value, of: member.key)
            return masked
        }
    }

    private func value(_ value: PropertyValue, of key: String) -> PropertyValue {
        switch value {
        case .string(let text): .string(key == ATSKey.pinIdentity ? pin(text) : sentence(text))
        case .array(let nodes):
            .array(nodes.map { PropertyNode(self.value($0.value, of: key), line: $0.line) })
        case .dictionary(let members):
            .dictionary(
                self.members(members, areHosts: key == ATSKey.exceptionDomains || key == ATSKey.pinnedDomains))
        case .boolean, .integer, .real, .data, .date: value
        }
    }

    private func warning(_ warning: DeclarationWarning) -> DeclarationWarning {
        var known = Known()
        known.add(warning.entry, host)
        return DeclarationWarning(
            keyPath: sentence(warning.keyPath, known), line: warning.line, sentence: sentence(warning.sentence, known),
            appleLog: warning.appleLog.map { sentence($0, known) }, entry: warning.entry.map(host))
    }

    /// The path of a file; what it ends in tells of what kind it is.
    public func file(_ path: String) -> String {
        guard hidesAll, path != "-" else { return path }
        let name = path.split(separator: "/").last ?? ""
        let ending = name.split(separator: ".").dropFirst().last.map { ".\($0)" } ?? ""
        let isUsual = ending.utf8.count <= 12 && ending.dropFirst().allSatisfy { $0.isASCII && $0.isLetter }
        guard !isToken(String(name.prefix { $0 != "." })) else { return path }
        return token("f", path) + (isUsual ? ending : "")
    }

    /// The name of a recording.
    public func recording(_ name: String) -> String { hidesAll ? token("r", name) : name }

    /// The label of a listener.
    func label(_ label: String) -> String { hidesAll ? token("l", label) : label }

    /// A bundle identifier.
    func bundle(_ bundle: String) -> String { hidesAll ? token("b", bundle) : bundle }

    /// A User-Agent: what the system says of itself stays.
    func userAgent(_ agent: String) -> String {
        guard hidesAll else { return agent }
        let products = agent.split(separator: " ").filter { $0.hasPrefix("CFNetwork/") || $0.hasPrefix("Darwin/") }
        return ([token("u", agent)] + products.map(String.init)).joined(separator: " ")
    }
}
