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
    /// Entries that count, by key: of a repeated one, the last.
    let table: [Substring: LintEntry]

    init(
        _ declaration: Declaration, systems: SystemRange, app: Declaration? = nil, showsJustifications: Bool = false
    ) {
        self.declaration = declaration
        self.app = app
        self.systems = systems
        self.showsJustifications = showsJustifications
        entries = LintEntry.list(ATSKey.exceptionDomains, in: declaration.members)
        pins = LintEntry.list(ATSKey.pinnedDomains, in: declaration.members)
        table = Dictionary(entries.filter { $0.values != nil }.map { ($0.key[...], $0) }, uniquingKeysWith: { $1 })
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
}

/// One entry of NSExceptionDomains or NSPinnedDomains. A class, and its claims are stored: some fifty rules look at each
/// entry, and a dictionary may have a hundred thousand.
final class LintEntry: Sendable {
    let list: String
    let member: PropertyMember
    /// nil if the entry is not a dictionary.
    let values: [PropertyMember]?
    /// The fault of its key.
    let fault: KeyFault?
    /// True if its name is that of an ATS key, not of a host.
    let isKey: Bool
    /// The key is an address or a range; entries for names never match addresses (docs/law/addresses.md#address-keys).
    let isAddress: Bool
    /// The network of a key that is a valid range.
    let block: AddressBlock?
    let includesSubdomains: Bool
    let allowsInsecure: Bool
    let requiresForwardSecrecy: Bool
    /// The version that the entry sets; nil if it sets none, or an unknown one.
    let minimumTLS: TLSVersion?

    init(list: String, member: PropertyMember) {
        self.list = list
        self.member = member
        let key = member.key
        values = if case .dictionary(let values) = member.node.value { values } else { nil }
        fault = KeyFault(key)
        isKey = ATSKey.all.contains(key) || ATSKey.current(forLegacy: key) != nil
        let isRange = key.utf8.contains(UInt8(ascii: "/"))
        isAddress = isRange || IPAddress(key) != nil
        block = isRange ? AddressBlock(exceptionKey: key) : nil
        includesSubdomains = values?.flag(ATSKey.includesSubdomains) ?? false
        allowsInsecure = values?.flag(ATSKey.insecureHTTP) ?? false
        requiresForwardSecrecy = values?.flag(ATSKey.forwardSecrecy) ?? true
        minimumTLS =
            if case .string(let text)? = values?.last(ATSKey.minimumTLS)?.node.value {
                TLSVersion(declared: text)
            } else {
                nil
            }
    }

    var key: String { member.key }

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

    /// The rules that apply to the hosts of the entry (docs/law/keys.md#entry-keys).
    var law: [String] {
        [
            allowsInsecure ? "http" : "", (minimumTLS ?? .tls12).declarationName,
            requiresForwardSecrecy ? "" : "static keys",
        ]
    }

    /// The parent domains of the key, nearest first: `b.c` and `c` for `a.b.c`.
    var parents: UnfoldSequence<Substring, Substring> { HostGrammar.parents(of: isAddress ? "" : key[...]) }

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
