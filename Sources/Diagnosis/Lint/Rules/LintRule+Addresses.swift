import ATSPolicy
import Text

extension LintRule {
    /// Apple's parser logs a fault and skips the entry.
    static let invalidRange = LintRule(
        "lint.invalid-range", .error, title: "The key of an entry has a slash but is not CIDR notation",
        source: "Security, SecProtocolConfiguration.m; docs/law/addresses.md#cidr-quirks", .source,
        example: address("192.168.0.0/33", silent: "192.168.0.0/16")
    ) { subject in
        subject.entries.filter { $0.fault == .notRange }.map {
            let digits = $0.key.suffix(while: { $0 != "/" })
            let isOctal = digits.hasPrefix("0") && digits.contains { "89".contains($0) }
            return LintMark(
                $0.place,
                "\($0.key) never matches: "
                    + (isOctal ? "a leading zero makes the prefix octal" : "it is not CIDR notation"),
                appleLog: "App Transport Security exception \($0.key) is not a valid CIDR notation.")
        }
    }

    /// The text buffer of the parser is one byte short.
    static let longRange = LintRule(
        "lint.long-range", .error, title: "The address of a range is too long for the system's parser",
        source: "Security, SecProtocolConfiguration.m; docs/law/addresses.md#cidr-quirks", .source,
        example: address("192.168.100.10/32", silent: "192.168.100.10")
    ) { subject in
        subject.entries.filter { $0.fault == .longRange }.map {
            LintMark(
                $0.place, "\($0.key) never matches: \(AddressBlock.complaint(aboutExceptionKey: $0.key))",
                appleLog: "App Transport Security exception \($0.key) is not a valid CIDR notation.")
        }
    }

    /// `/010` is 8.
    static let octalPrefix = LintRule(
        "lint.octal-prefix", .warning, title: "A prefix length with a leading zero is read as octal",
        source: "Security, SecProtocolConfiguration.m; docs/law/addresses.md#cidr-quirks", .source,
        example: address("10.0.0.0/010", silent: "10.0.0.0/8")
    ) { subject in
        subject.ranges.compactMap { entry, block in
            let digits = entry.key.suffix(while: { $0 != "/" })
            guard digits.hasPrefix("0"), digits.count > 1 else { return nil }
            return LintMark(entry.place, "\(entry.key) is read as octal: the prefix is \(block.prefixBits) bits long")
        }
    }

    /// Host bits are ignored, which may not be the intention.
    static let hostBits = LintRule(
        "lint.host-bits", .note, title: "A range has host bits, which are ignored",
        source: "Security, SecProtocolConfiguration.m; docs/law/addresses.md#address-keys", .source,
        example: address("192.168.1.7/24", silent: "192.168.1.0/24")
    ) { subject in
        subject.ranges.compactMap { entry, block in
            let text = entry.key.prefix { $0 != "/" }
            guard let address = IPAddress(text), address != block.network else { return nil }
            return LintMark(entry.place, "\(entry.key) covers its whole network: the bits after the prefix are ignored")
        }
    }

    /// iOS 10 to 16 allow addresses regardless of entries, so only iOS 9 is affected.
    static let addressTooOld = LintRule(
        "lint.address-too-old", .warning, title: "Addresses as keys have no effect on iOS 9 and macOS 10.11",
        source: "Apple, NSExceptionDomains; docs/law/addresses.md#address-keys", .documented,
        example: address("192.168.1.7", silent: "printer.example.com", systems: "ios9..ios26")
    ) { subject in
        guard !subject.systems.isAssumed, subject.systems.has({ $0.localRule == .none }) else { return [] }
        return subject.entries.filter { $0.isAddress && [nil, .upperCase].contains($0.fault) }.map {
            LintMark(
                $0.place,
                "\($0.key) has no effect on iOS 9 and macOS 10.11: they block addresses unless"
                    + " NSAllowsArbitraryLoads is true")
        }
    }

    /// 100.64.0.0/10, used by carriers and by Tailscale, is not local.
    static let sharedAddressSpace = LintRule(
        "lint.shared-address-space", .warning,
        title: "NSAllowsLocalNetworking does not cover 100.64.0.0/10 (carriers, Tailscale)",
        source: "moona3k/macparakeet 969; docs/law/addresses.md#direct", .observedOnce,
        example: LintExample(
            found: #"{"NSAllowsLocalNetworking": true, "NSExceptionDomains": {"100.64.0.0/10": {}}}"#,
            silent: """
                {"NSAllowsLocalNetworking": true,
                 "NSExceptionDomains": {"100.64.0.0/10": {"NSExceptionAllowsInsecureHTTPLoads": true}}}
                """)
    ) { subject in
        guard subject.flag(ATSKey.localNetworking) == true else { return [] }
        return subject.entries.compactMap { entry in
            guard entry.isAddress, let network = entry.network, shared?.contains(network) == true, !entry.allowsInsecure
            else {
                return nil
            }
            return LintMark(
                entry.place,
                "\(entry.key) is not covered by NSAllowsLocalNetworking: cleartext to it needs"
                    + " \(ATSKey.insecureHTTP) in this entry")
        }
    }

    private static let shared = AddressBlock("100.64.0.0/10")

    private static func address(_ found: String, silent: String, systems: String? = "ios17..") -> LintExample {
        func text(_ key: String) -> String {
            #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        }
        return LintExample(found: text(found), silent: text(silent), systems: systems)
    }
}

extension LintEntry {
    /// The network of a range, or the address itself.
    var network: IPAddress? { block?.network ?? IPAddress(key) }
}

extension LintSubject {
    /// The entries whose keys are valid ranges.
    var ranges: [(entry: LintEntry, block: AddressBlock)] {
        entries.compactMap { entry in entry.block.map { (entry, $0) } }
    }
}

extension String {
    fileprivate func suffix(while isWanted: (Character) -> Bool) -> Substring {
        self[(lastIndex { !isWanted($0) }.map(index(after:)) ?? startIndex)...]
    }
}
