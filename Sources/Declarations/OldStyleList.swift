/// The lexical rules of old-style property lists, `{ key = value; }`. Source: Apple, CFOldStylePList.c.
enum OldStyleList {
    /// True if a text begins like one: a key and an equals sign, after braces and comments.
    static func isLikely(_ text: [UInt8]) -> Bool {
        var rest = skipped(text[...])
        if let first = rest.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "(") {
            rest = skipped(rest.dropFirst())
        }
        guard let first = rest.first else { return false }
        if first == UInt8(ascii: "\"") {
            rest = rest.dropFirst().drop { $0 != UInt8(ascii: "\"") }.dropFirst()
        } else {
            let name = rest.prefix(while: isNameByte)
            guard !name.isEmpty else { return false }
            rest = rest[name.endIndex...]
        }
        return skipped(rest).first == UInt8(ascii: "=")
    }

    /// The text after leading blanks and comments.
    static func skipped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text.drop(while: isBlank)
        while rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) {
            if rest.starts(with: "//".utf8) {
                rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
            } else {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
            }
            rest = rest.drop(while: isBlank)
        }
        return rest
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// True for a byte of a word without quotation marks (CFOldStylePList.c, CFPropertyListIsUnquotedCharacter).
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "_$/:.-".utf8.contains(byte)
        }
    }
}
