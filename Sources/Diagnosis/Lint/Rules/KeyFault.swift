import ATSPolicy
import Text

/// The reason why the key of an entry cannot match a host as its author intended. Source: Security,
/// SecProtocolConfiguration.m;
/// docs/law/domains.md#matching, docs/law/addresses.md#address-keys.
enum KeyFault: Hashable {
    case unresolved
    case scheme
    case path
    case wildcard
    case port
    /// Spaces, brackets, empty labels, a scope id.
    case malformed(String)
    case foreign
    case upperCase
    case trailingDot
    case notRange
    /// Apple's buffer is one byte short.
    case longRange

    /// The first fault of a key; nil if it has none.
    init?(_ key: String) {
        // Nearly every key is such a name.
        if key.isPlainName { return nil }
        let bytes = key.utf8
        if key.isUnresolved {
            self = .unresolved
        } else if key.contains("://") {
            self = .scheme
        } else if let slash = key.firstIndex(of: "/") {
            guard let fault = Self.range(key, address: key[..<slash]) else { return nil }
            self = fault
        } else if bytes.contains(UInt8(ascii: "*")) || key.hasPrefix(".") {
            self = .wildcard
        } else if let what = Self.malformed(key) {
            self = .malformed(what)
        } else if bytes.contains(UInt8(ascii: ":")), IPAddress(key) == nil {
            self = .port
        } else if bytes.contains(where: { $0 >= 0x80 }) {
            self = .foreign
        } else if bytes.contains(where: { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }) {
            self = .upperCase
        } else if key.hasSuffix(".") {
            self = .trailingDot
        } else {
            return nil
        }
    }

    private static func range(_ key: String, address: Substring) -> KeyFault? {
        let looksNumeric =
            address.utf8.allSatisfy { isAddressByte($0) } && address.contains { $0.isNumber || $0 == ":" }
        guard looksNumeric || address.isEmpty else { return address.contains("*") ? .wildcard : .path }
        guard AddressBlock(exceptionKey: key) == nil else { return nil }
        let shortest = address.contains(":") ? "::" : "0.0.0.0"
        let isPrefixGood = AddressBlock(exceptionKey: shortest + key[address.endIndex...]) != nil
        return isPrefixGood && IPAddress(address) != nil ? .longRange : .notRange
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte.hexadecimalDigit != nil || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
    }

    private static func malformed(_ key: String) -> String? {
        if key.isEmpty { return "it is empty" }
        if key.contains(where: \.isWhitespace) { return "a host contains no spaces" }
        if key.contains(where: { "[]".contains($0) }) { return "write an IPv6 address without brackets" }
        if key.contains("%") { return "a host contains no percent sign, and scope ids are not supported" }
        if key.contains("@") { return "write the host alone, without a user name" }
        if key.contains("..") { return "it has an empty label" }
        return nil
    }
}

extension String {
    /// True for labels of lower-case letters, digits, hyphens and underscores: a key without a fault.
    fileprivate var isPlainName: Bool {
        var isAfterDot = true
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                isAfterDot = false
            case UInt8(ascii: ".") where !isAfterDot: isAfterDot = true
            default: return false
            }
        }
        return !isAfterDot
    }
}

extension LintSubject {
    /// Marks every entry whose key has a fault that `sentence` describes.
    ///
    /// - Parameter sentence: describes the fault of an entry or a pinned domain; nil for other faults.
    func marks(_ sentence: (KeyFault, LintEntry) -> String?) -> [LintMark] {
        (entries + pins).compactMap { entry in
            guard let fault = entry.fault, !entry.isKey, let words = sentence(fault, entry) else { return nil }
            return LintMark(entry.place, words)
        }
    }
}
