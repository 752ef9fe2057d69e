public import ATSPolicy
import Text

/// An entry of `NSExceptionDomains` in the forms that people paste: XML for an Info.plist, and commands.
public struct EntryToPaste: Sendable, Hashable {
    private let fix: ExceptionFix
    /// Keys that the dictionary has already, and which a command must therefore set instead of add.
    private let present: Set<String>

    /// - Parameter declaration: the dictionary to change; without it, commands add keys that may exist.
    public init(_ fix: ExceptionFix, in declaration: Declaration = .secureDefaults) {
        self.fix = fix
        present = Set((declaration.entries.keys(of: fix.domain) ?? []).map(\.key))
    }

    /// `NSAppTransportSecurity` with the entry alone, a line each.
    public var xml: [String] {
        let keys = fix.settings.map { PropertyMember(setting: $0) }
        let entry = PropertyMember(key: fix.domain, node: PropertyNode(.dictionary(keys)))
        let list = PropertyMember(key: ATSKey.exceptionDomains, node: PropertyNode(.dictionary([entry])))
        let text = PropertyListText.fragment(PropertyNode(.dictionary([list])))
        return ["<key>\(ATSKey.root)</key>"] + text.replacing("\t", with: "  ").split(separator: "\n").map(String.init)
    }

    /// A command for each key. Add creates the dictionaries around it. Source: PlistBuddy(8).
    public var plistBuddy: [String] {
        let domain = fix.domain.replacing(":", with: #"\:"#)
        return fix.settings.map { setting in
            let path = ":\(ATSKey.root):\(ATSKey.exceptionDomains):\(domain):\(setting.key)"
            let (type, value) =
                switch setting.value {
                case .flag(let flag): ("bool", String(flag))
                case .text(let text): ("string", text)
                }
            let verb = present.contains(setting.key) ? "Set \(path) \(value)" : "Add \(path) \(type) \(value)"
            return "/usr/libexec/PlistBuddy -c \(verb.shellWord) Info.plist"
        }
    }
}
