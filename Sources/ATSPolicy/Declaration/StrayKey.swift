/// An ATS key in a place of the file where no release looks for it: outside of the dictionary, which
/// ``Declaration/members`` does not cover. The linter words the warning.
public struct StrayKey: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A key of the dictionary, outside of it.
        case outside
        /// A misspelling of `NSAppTransportSecurity`.
        case misspelt
        /// `NSAppTransportSecurity` below another key. It counts only at the top of a property list, not inside
        /// NSExtension or elsewhere (Apple, NSAppTransportSecurity; docs/law/keys.md#when-it-applies).
        case nested
        /// A second `NSAppTransportSecurity`.
        case repeated(firstLine: Int?)
        /// A key of a dictionary without `NSAppTransportSecurity` around it, in a complete property list.
        case bare
        /// The file contains neither ATS keys nor keys of an Info.plist.
        case nothing
    }

    /// Key path from the top of the file.
    public var keyPath: String
    public var line: Int?
    public var kind: Kind

    public init(keyPath: String, line: Int?, kind: Kind) {
        self.keyPath = keyPath
        self.line = line
        self.kind = kind
    }

    /// Returns the stray keys of a property list.
    static func all(in top: [PropertyMember]) -> [StrayKey] {
        let own = top.filter { $0.key == ATSKey.root }
        let first = own.first?.keyLine
        var strays = own.dropFirst().map { StrayKey($0, at: $0.key, .repeated(firstLine: first)) }
        for member in top where member.key != ATSKey.root {
            if (ATSKey.global + ATSKey.exception).contains(member.key) || ATSKey.current(forLegacy: member.key) != nil {
                strays.append(StrayKey(member, at: member.key, .outside))
            } else if ATSKey.nearest(to: member.key, among: [ATSKey.root]) != nil {
                strays.append(StrayKey(member, at: member.key, .misspelt))
            }
            strays += nested(in: member.node, under: member.key)
        }
        return strays
    }

    private static func nested(in node: PropertyNode, under path: String) -> [StrayKey] {
        switch node.value {
        case .dictionary(let members):
            members.flatMap { member in
                let inner = path + "." + member.key
                return member.key == ATSKey.root
                    ? [StrayKey(member, at: inner, .nested)] : nested(in: member.node, under: inner)
            }
        case .array(let items):
            items.enumerated().flatMap { nested(in: $1, under: "\(path).\($0)") }
        case .boolean, .integer, .real, .string, .data, .date: []
        }
    }
}

extension StrayKey {
    private init(_ member: PropertyMember, at keyPath: String, _ kind: Kind) {
        self.init(keyPath: keyPath, line: member.keyLine ?? member.node.line, kind: kind)
    }
}
