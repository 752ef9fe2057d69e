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

    /// A digit of Base64 (RFC 4648 section 4); what fills up its end is none.
    public var isBase64Digit: Bool { isAlphanumeric || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") }

    /// An ASCII capital made small; every other byte itself.
    public var asciiLowered: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension StringProtocol {
    /// The text with ASCII capitals made small and everything else untouched: how the DNS compares (RFC 4343).
    public var asciiLowered: String {
        guard utf8.contains(where: { $0 != $0.asciiLowered }) else { return String(self) }
        return String(decoding: utf8.map(\.asciiLowered), as: UTF8.self)
    }
}

extension String {
    /// Whether a word of ASCII stands in the text, whatever stands beside it. Compares bytes, which takes a small part of
    /// the time of `contains`: that one builds a table of the word at each call.
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
