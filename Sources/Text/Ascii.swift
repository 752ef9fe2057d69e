extension UInt8 {
    /// The value of a decimal digit.
    public var decimalDigit: UInt8? {
        let value = self &- UInt8(ascii: "0")
        return value < 10 ? value : nil
    }

    /// The value of a hexadecimal digit.
    public var hexadecimalDigit: UInt8? {
        if let value = decimalDigit { return value }
        let value = (self | 0x20) &- UInt8(ascii: "a")
        return value < 6 ? value + 10 : nil
    }

    /// A letter or a decimal digit.
    public var isAlphanumeric: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 || decimalDigit != nil }

    /// True for a Base64 digit (RFC 4648 section 4), without padding.
    public var isBase64Digit: Bool { isAlphanumeric || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") }

    /// The byte with ASCII letters in lower case; every other byte unchanged.
    public var asciiLowered: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension StringProtocol {
    /// The text with ASCII letters in lower case and everything else unchanged, as the DNS compares names (RFC 4343).
    public var asciiLowered: String {
        guard utf8.contains(where: { $0 != $0.asciiLowered }) else { return String(self) }
        return String(decoding: utf8.map(\.asciiLowered), as: UTF8.self)
    }
}

extension String {
    /// True if the text contains an ASCII word, anywhere. Compares bytes, which is much faster than `contains`: that
    /// builds a table of the word in each call.
    public func holds(_ word: String) -> Bool {
        guard let first = word.utf8.first else { return true }
        var rest = utf8[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: word.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
