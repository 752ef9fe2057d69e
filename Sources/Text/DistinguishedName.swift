/// An X.500 name as text, such as the subject of a certificate. Source: RFC 2253 sections 2 and 3; blanks, quotes and
/// semicolons as section 4 requires of readers. Other text, such as a truncated name, is parsed where possible
/// without losing any of it.
public struct DistinguishedName: Sendable, Hashable {
    /// The text between two separators: a type and its value, for example `CN=a.test`.
    public struct Attribute: Sendable, Hashable {
        /// In upper case, since types are compared without case; nil if there is no type.
        public let type: String?
        /// Without escapes and quotes. It may contain any character, including control characters.
        public let value: String
        /// The original text before the value, including the equals sign.
        public let head: String
        /// The whole original text, including the separator after it.
        public let text: String
        /// The separator after it; empty for the last attribute.
        public let end: String
    }

    /// In the order of the text; the parts of a multi-valued attribute, `OU=a+CN=b`, follow each other.
    public let attributes: [Attribute]

    public init(_ text: String) {
        // By bytes: a comma followed by a combining accent is a single Character and not equal to a comma.
        var rest = Array(text.utf8)[...]
        var attributes: [Attribute] = []
        while !rest.isEmpty {
            let end = Self.end(of: rest)
            attributes.append(Attribute(rest[..<end], end: rest[end...].prefix(1)))
            rest = rest[end...].dropFirst()
        }
        self.attributes = attributes
    }

    /// The value of the first `CN`.
    public var commonName: String? { attributes.first { $0.type == "CN" }?.value }

    /// Returns the index of the next separator that is neither escaped nor quoted.
    private static func end(of text: ArraySlice<UInt8>) -> Int {
        var (isEscaped, isQuoted, isValue, mayQuote) = (false, false, false, false)
        for (index, byte) in zip(text.indices, text) {
            if isEscaped {
                isEscaped = false
            } else if byte == backslash {
                (isEscaped, mayQuote) = (true, false)
            } else if isQuoted {
                isQuoted = byte != quote
            } else if byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "+") {
                return index
            } else if byte == quote {
                (isQuoted, mayQuote) = (mayQuote, false)
            } else if byte == equals {
                (isValue, mayQuote) = (true, !isValue)
            } else if byte != blank {
                mayQuote = false
            }
        }
        return text.endIndex
    }

    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let blank = UInt8(ascii: " ")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let quote = UInt8(ascii: "\"")
}

extension DistinguishedName.Attribute {
    fileprivate init(_ text: ArraySlice<UInt8>, end: ArraySlice<UInt8>) {
        let head = text[..<(text.firstIndex(of: DistinguishedName.equals) ?? text.startIndex)]
        let words = head.split(separator: DistinguishedName.blank)
        let hasType = words.count == 1 && words[0].allSatisfy(Self.isOfType)
        type = hasType ? String(decoding: words[0], as: UTF8.self).uppercased() : nil
        value = Self.plain(hasType ? text[head.endIndex...].dropFirst() : text)
        self.head = hasType ? String(decoding: text[...head.endIndex], as: UTF8.self) : ""
        self.text = String(decoding: text + end, as: UTF8.self)
        self.end = String(decoding: end, as: UTF8.self)
    }

    /// True for a byte of a keyword or an object identifier.
    private static func isOfType(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    /// Removes quotes and backslashes, and surrounding blanks that are neither escaped nor quoted.
    private static func plain(_ text: ArraySlice<UInt8>) -> String {
        var text = text.drop { $0 == DistinguishedName.blank }
        var isQuoted = text.first == DistinguishedName.quote
        if isQuoted { text = text.dropFirst() }
        var value: [UInt8] = []
        var length = 0
        while let byte = text.popFirst() {
            if isQuoted, byte == DistinguishedName.quote {
                isQuoted = false
                continue
            }
            let isEscaped = byte == DistinguishedName.backslash
            guard let plain = isEscaped ? escaped(&text) : byte else { break }
            value.append(plain)
            if isEscaped || isQuoted || byte != DistinguishedName.blank { length = value.count }
        }
        return String(decoding: value[..<length], as: UTF8.self)
    }

    /// Reads the text after a backslash: two hexadecimal digits of a byte, or a literal byte.
    private static func escaped(_ text: inout ArraySlice<UInt8>) -> UInt8? {
        guard let first = text.popFirst() else { return nil }
        guard let high = first.hexadecimalDigit, let low = text.first?.hexadecimalDigit else { return first }
        text = text.dropFirst()
        return high << 4 | low
    }
}
