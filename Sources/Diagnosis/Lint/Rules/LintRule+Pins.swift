import ATSPolicy
import Text

extension LintRule {
    /// No identity can match a list that is present and empty.
    static let emptyPinList = LintRule(
        "lint.empty-pin-list", .error, title: "A list of pinned identities is empty, so every load fails",
        source: "Security, SecPolicy.c; docs/law/pinning.md#empty-lists", .source,
        example: LintExample(found: pins("NSPinnedLeafIdentities", []), silent: pins("NSPinnedLeafIdentities", [good]))
    ) { subject in
        subject.pinLists.compactMap { entry, member in
            guard case .array(let items) = member.node.value else {
                return LintMark(
                    entry.place(of: member),
                    "\(member.key) must be an array of dictionaries, but it is \(member.node.value.summary)")
            }
            guard items.isEmpty else { return nil }
            return LintMark(entry.place(of: member), "\(member.key) is empty, so every load of \(entry.key) fails")
        }
    }

    /// Base64 of the 32 bytes of a SHA-256.
    static let badPin = LintRule(
        "lint.bad-pin", .error, title: "A pinned identity is not the Base64 of a SHA-256",
        source: "Security, SecPolicy.c; docs/law/pinning.md#empty-lists", .source,
        example: LintExample(
            found: pins("NSPinnedLeafIdentities", ["sha256/" + good]), silent: pins("NSPinnedLeafIdentities", [good]))
    ) { subject in
        subject.pinLists.flatMap { entry, member -> [LintMark] in
            guard case .array(let items) = member.node.value else { return [] }
            return items.enumerated().compactMap { position, item in
                complaint(about: item).map { what in
                    let place = entry.place(of: member)
                    let pin = item.pin
                    let path = "\(place.keyPath).\(position)" + (pin == nil ? "" : "." + pinKey)
                    return LintMark(
                        LintLocation(keyPath: path, line: pin?.keyLine ?? item.line ?? place.line),
                        "identity \(position + 1) of \(entry.key) \(what)")
                }
            }
        }
    }

    /// Guides to pinning have such texts in their examples. Source: TrustKit, "Getting Started"; FIPS 180-4.
    static let placeholderPin = LintRule(
        "lint.placeholder-pin", .error, title: "A pinned identity is a placeholder that no key has",
        source: "Security, SecPolicy.c; docs/law/pinning.md#empty-lists", .source,
        example: LintExample(
            found: pins("NSPinnedLeafIdentities", [good, nothing]),
            silent: pins("NSPinnedLeafIdentities", [good, other]))
    ) { subject in
        subject.pinLists.flatMap { entry, member -> [LintMark] in
            guard case .array(let items) = member.node.value else { return [] }
            return items.enumerated().compactMap { position, item in
                guard let pin = item.pin, case .string(let text) = pin.node.value, let what = placeholder(text) else {
                    return nil
                }
                let place = entry.place(of: member)
                return LintMark(
                    LintLocation(
                        keyPath: "\(place.keyPath).\(position).\(pinKey)", line: pin.keyLine ?? item.line ?? place.line),
                    "identity \(position + 1) of \(entry.key) is \(what): no key has it, so it matches nothing")
            }
        }
    }

    /// Without either list no identity is pinned.
    static let noPins = LintRule(
        "lint.no-pins", .warning, title: "A pinned domain names no identities, so nothing is pinned",
        source: "Security, SecPolicy.c; docs/law/pinning.md#empty-lists", .source,
        example: LintExample(
            found: #"{"NSPinnedDomains": {"a.example.com": {"NSIncludesSubdomains": true}}}"#,
            silent: pins("NSPinnedLeafIdentities", [good]))
    ) { subject in
        subject.pins.compactMap { entry in
            guard let values = entry.values, values.last(ATSKey.leafPins) == nil, values.last(ATSKey.caPins) == nil
            else { return nil }
            return LintMark(entry.place, "\(entry.key) names no identities, so nothing is pinned")
        }
    }

    /// Two lists are two conditions. A CA is searched for only after the first certificate.
    static let authorityPin = LintRule(
        "lint.ca-pin", .note, title: "Leaf and CA are both pinned, so both must match",
        source: "Security, SecPolicyServer.c; docs/law/pinning.md#evaluation", .source,
        example: LintExample(
            found: #"""
                {"NSPinnedDomains": {"a.example.com": {
                  "NSPinnedCAIdentities": [{"SPKI-SHA256-BASE64": "\#(good)"}],
                  "NSPinnedLeafIdentities": [{"SPKI-SHA256-BASE64": "\#(good)"}]}}}
                """#, silent: pins("NSPinnedCAIdentities", [good]))
    ) { subject in
        subject.pins.compactMap { entry in
            guard let list = entry.values?.last(ATSKey.caPins), entry.values?.last(ATSKey.leafPins) != nil,
                case .array(let items) = list.node.value, !items.isEmpty
            else { return nil }
            return LintMark(
                entry.place(of: list),
                "\(list.key) must match in addition to \(ATSKey.leafPins), not instead of it; it is compared with the"
                    + " certificates after the first, so a chain of one always fails")
        }
    }

    /// A key that is lost or replaced locks out every installed app.
    static let singlePin = LintRule(
        "lint.single-pin", .note, title: "Only one identity is pinned, without a backup",
        source: "RFC 7469 section 4.3; docs/law/pinning.md#backup-pins", .documented,
        example: LintExample(
            found: pins("NSPinnedLeafIdentities", [good]), silent: pins("NSPinnedLeafIdentities", [good, other]))
    ) { subject in
        subject.pinLists.compactMap { entry, member in
            guard case .array(let items) = member.node.value, items.count == 1 else { return nil }
            return LintMark(
                entry.place(of: member),
                "\(entry.key) is pinned to one identity: once its key changes, every installed app is locked out; add"
                    + " a backup key")
        }
    }

    /// The documented rules for keys do not include addresses.
    static let pinnedAddress = LintRule(
        "lint.pinned-address", .error, title: "An address cannot be pinned",
        source: "Apple, NSPinnedDomains; docs/law/pinning.md#shape", .documented,
        example: LintExample(
            found: pins("NSPinnedLeafIdentities", [good], domain: "192.0.2.1"),
            silent: pins("NSPinnedLeafIdentities", [good]))
    ) { subject in
        subject.pins.filter { $0.isAddress && [nil, .notRange, .longRange, .upperCase].contains($0.fault) }.map {
            LintMark($0.place, "\($0.key) is an address or a range; NSPinnedDomains accepts names only")
        }
    }

    /// Older releases do not know the key.
    static let pinsTooOld = LintRule(
        "lint.pins-too-old", .note, title: "NSPinnedDomains has no effect before iOS 14 and macOS 11",
        source: "Apple, NSPinnedDomains; docs/law/keys.md#global-keys", .documented,
        example: LintExample(
            found: pins("NSPinnedLeafIdentities", [good]), silent: #"{"NSAllowsLocalNetworking": true}"#,
            systems: "ios13..")
    ) { subject in
        // Apps that name no releases are for current ones.
        guard !subject.systems.isAssumed, subject.systems.lacks(.pinnedDomains),
            let list = subject.globals.last(ATSKey.pinnedDomains)
        else {
            return []
        }
        return [LintMark(subject.place(of: list), "\(list.key) has no effect before iOS 14 and macOS 11")]
    }

    private static let good = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
    private static let other = "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="
    /// The SHA-256 of no bytes (FIPS 180-4), which a script writes for a key that it cannot read.
    private static let nothing = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private static func pins(_ list: String, _ values: [String], domain: String = "a.example.com") -> String {
        let items = values.map { #"{"SPKI-SHA256-BASE64": "\#($0)"}"# }.joined(separator: ", ")
        return #"{"NSPinnedDomains": {"\#(domain)": {"\#(list)": [\#(items)]}}}"#
    }

    /// nil for the hash of a key.
    private static func placeholder(_ text: String) -> String? {
        if text == nothing { return "the SHA-256 of no bytes" }
        guard Base64Length.bytes(of: text) == 32, Set(text.utf8.prefix { $0 != UInt8(ascii: "=") }).count == 1 else {
            return nil
        }
        return text.hasPrefix("A") ? "32 zero bytes" : "a placeholder"
    }

    /// nil for a valid identity.
    private static func complaint(about item: PropertyNode) -> String? {
        guard case .dictionary(let members) = item.value else {
            return "must be a dictionary, but it is \(item.value.summary): it matches nothing"
        }
        guard let member = members.last(pinKey) else { return "has no \(pinKey): it matches nothing" }
        guard case .string(let text) = member.node.value else {
            return "must be a string, but it is \(member.node.value.summary): it matches nothing"
        }
        if text.isUnresolved { return nil }
        if text.hasPrefix("sha256/") { return "begins with sha256/, so it matches nothing: remove the prefix" }
        guard let bytes = Base64Length.bytes(of: text) else { return "is not Base64: it matches nothing" }
        return bytes == 32 ? nil : "is \(bytes) bytes long, but a SHA-256 has 32: it matches nothing"
    }
}

private let pinKey = "SPKI-SHA256-BASE64"

extension PropertyNode {
    /// The identity of one element of a list.
    var pin: PropertyMember? {
        guard case .dictionary(let members) = value else { return nil }
        return members.last(pinKey)
    }
}

extension LintSubject {
    /// The lists of identities of all pinned domains.
    var pinLists: [(entry: LintEntry, member: PropertyMember)] {
        pins.flatMap { entry in
            (entry.values ?? []).filter { [ATSKey.leafPins, ATSKey.caPins].contains($0.key) }.map { (entry, $0) }
        }
    }
}

/// The length of Base64 text by RFC 4648 section 4.
enum Base64Length {
    /// The number of decoded bytes; nil if the text is not Base64.
    static func bytes(of text: String) -> Int? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.utf8.count - digits.count
        guard text.utf8.count.isMultiple(of: 4), padding <= 2, digits.allSatisfy(\.isBase64Digit),
            text.utf8.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        return text.utf8.count / 4 * 3 - padding
    }
}
