public import Text

extension AddressBlock {
    /// Reads a key with `/` like Apple's parser, including its quirks. Source: Security, SecProtocolConfiguration.m;
    /// docs/law/addresses.md#address-keys.
    ///
    /// - Returns: nil for a key that never matches.
    public init?(exceptionKey key: String) {
        guard let slash = key.firstIndex(of: "/"), let bits = Self.prefix(key[key.index(after: slash)...]),
            let address = Self.address(key[..<slash])
        else { return nil }
        self.init(address, prefixBits: bits)
    }

    /// Returns the reason why ``init(exceptionKey:)`` returned nil, for a warning.
    public static func complaint(aboutExceptionKey key: String) -> String {
        guard let slash = key.firstIndex(of: "/") else { return "it is not CIDR notation" }
        let text = key[..<slash]
        if IPAddress(text) != nil, address(text) == nil {
            return "18.4 to 26.0 reject an address part of \(text.utf8.count) characters"
        }
        return "it is not CIDR notation"
    }

    /// Adds missing octets and a missing `::`. Texts near the full length are rejected, since Apple's buffer is one
    /// byte short.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard text.utf8.count < refusedV6Characters else { return nil }
            let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
            let isShort = colons < 7 && !text.contains("::")
            return IPAddress(isShort ? text + "::" : text)
        }
        guard text.utf8.count < refusedV4Characters else { return nil }
        let dots = text.utf8.count { $0 == UInt8(ascii: ".") }
        return IPAddress(text + String(repeating: ".0", count: max(0, 3 - dots)))
    }

    /// A leading 0 means octal, as for `strtol` with base 0. Letters are rejected, so hexadecimal is, too (inferred).
    private static func prefix(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0.decimalDigit != nil }) else { return nil }
        let isOctal = text.utf8.count > 1 && text.utf8.first == UInt8(ascii: "0")
        return Int(text, radix: isOctal ? 8 : 10)
    }

    private static let refusedV4Characters = 14
    private static let refusedV6Characters = 38
}
