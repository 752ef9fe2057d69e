import ATSPolicy
import Text

/// A dictionary in the form that the rules check.
struct LintSubject {
    let declaration: Declaration
    let systems: SystemRange
    /// The dictionary of the app, if this one is of an extension in its bundle.
    let app: Declaration?
    /// True if findings should propose answers for App Store review.
    let showsJustifications: Bool
    /// Entries of NSExceptionDomains; a repeated one occurs several times.
    let entries: [LintEntry]
    /// Entries of NSPinnedDomains.
    let pins: [LintEntry]

    init(
        _ declaration: Declaration, systems: SystemRange, app: Declaration? = nil, showsJustifications: Bool = false
    ) {
        self.declaration = declaration
        self.app = app
        self.systems = systems
        self.showsJustifications = showsJustifications
        entries = LintEntry.list(ATSKey.exceptionDomains, in: declaration.members)
        pins = LintEntry.list(ATSKey.pinnedDomains, in: declaration.members)
    }

    /// Keys at the top level of the dictionary.
    var globals: [PropertyMember] { declaration.members }

    /// A global Boolean: nil if it is absent or ignored.
    func flag(_ key: String) -> Bool? { declaration.members.flag(key) }

    /// Place of a key at the top level of the dictionary.
    func place(of member: PropertyMember) -> LintLocation {
        LintLocation(keyPath: ATSKey.root + "." + member.key, line: member.keyLine ?? member.node.line)
    }

    /// The sibling keys that are present and have an effect (docs/law/rulings.md#siblings).
    var siblings: [PropertyMember] {
        [ATSKey.forMedia, ATSKey.inWebContent, ATSKey.localNetworking].compactMap { key in
            flag(key) == nil ? nil : globals.last(key)
        }
    }

    /// ATS is off for every host without an entry, on releases that know the siblings.
    var isOffByDefault: Bool { flag(ATSKey.arbitraryLoads) == true && siblings.isEmpty }
    /// Valid entries by key; of a repeated one, the last.
    /// Entries that count, by key: of a repeated one, the last.
    var table: [String: LintEntry] {
        Dictionary(entries.filter { $0.values != nil }.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }
}

/// One entry of NSExceptionDomains or NSPinnedDomains.
struct LintEntry {
    let list: String
    let member: PropertyMember
    /// The fault of its key. Stored because many rules use it, and a dictionary may have a hundred thousand entries.
    let fault: KeyFault?

    init(list: String, member: PropertyMember) {
        self.list = list
        self.member = member
        fault = KeyFault(member.key)
    }

    var key: String { member.key }
    /// nil if the entry is not a dictionary.
    var values: [PropertyMember]? {
        if case .dictionary(let values) = member.node.value { return values }
        return nil
    }

    var keyPath: String { "\(ATSKey.root).\(list).\(key)" }
    var place: LintLocation { LintLocation(keyPath: keyPath, line: member.keyLine ?? member.node.line) }

    /// Place of a key in the entry, or of the entry if it has no such key.
    func place(of name: String) -> LintLocation {
        guard let value = values?.last(name) else { return place }
        return place(of: value)
    }

    /// Place of a key in the entry.
    func place(of value: PropertyMember) -> LintLocation {
        LintLocation(keyPath: keyPath + "." + value.key, line: value.keyLine ?? value.node.line)
    }

    /// A Boolean of the entry: nil if it is absent or ignored.
    func flag(_ name: String) -> Bool? { values?.flag(name) }

    var includesSubdomains: Bool { flag(ATSKey.includesSubdomains) ?? false }
    var allowsInsecure: Bool { flag(ATSKey.insecureHTTP) ?? false }
    var requiresForwardSecrecy: Bool { flag(ATSKey.forwardSecrecy) ?? true }
    /// The version that the entry sets; nil if it sets none, or an unknown one.
    var minimumTLS: TLSVersion? {
        guard case .string(let text)? = values?.last(ATSKey.minimumTLS)?.node.value else { return nil }
        return TLSVersion(declared: text)
    }
    /// The rules that apply to the hosts of the entry (docs/law/keys.md#entry-keys).
    var law: [String] {
        [
            allowsInsecure ? "http" : "", (minimumTLS ?? .tls12).declarationName,
            requiresForwardSecrecy ? "" : "static keys",
        ]
    }

    /// The key is an address or a range; entries for names never match addresses (docs/law/addresses.md#address-keys).
    var isAddress: Bool { key.utf8.contains(UInt8(ascii: "/")) || IPAddress(key) != nil }

    /// The parent domains of the key, nearest first: `b.c` and `c` for `a.b.c`.
    var parents: [String] {
        guard !isAddress else { return [] }
        let labels = key.split(separator: ".", omittingEmptySubsequences: false)
        return labels.indices.dropFirst().map { labels[$0...].joined(separator: ".") }
    }

    static func list(_ name: String, in members: [PropertyMember]) -> [LintEntry] {
        guard case .dictionary(let list)? = members.last(name)?.node.value else { return [] }
        return list.map { LintEntry(list: name, member: $0) }
    }
}

extension [PropertyMember] {
    /// A Boolean as 18.5 and later read it: true, or a number equal to 1; nil for values that count as absent (source;
    /// docs/law/keys.md#types-of-values).
    func flag(_ key: String) -> Bool? {
        switch last(key)?.node.value {
        case .boolean(let flag): flag
        case .integer(let number): number == 1
        case .real(let number): number == 1
        case .string, .data, .date, .array, .dictionary, nil: nil
        }
    }
}
