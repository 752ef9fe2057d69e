/// RFC 2253 text, in which a backslash takes the meaning of what follows it.
struct DistinguishedName {
    /// What stands between two commas or plus signs.
    struct Attribute {
        /// With its equals sign.
        var key = ""
        /// As written.
        var value = ""
        /// The comma or plus sign behind it; empty for the last one.
        var end = ""

        var text: String { key + value + end }

        /// The value without escapes: behind a backslash stands a character, or two hexadecimal digits of a byte (RFC
        /// 2253 section 3).
        var plainValue: String {
            guard value.utf8.contains(backslash) else { return value }
            var bytes: [UInt8] = []
            var rest = value.utf8[...]
            while let byte = rest.popFirst() {
                let digits = rest.prefix(2)
                if byte != backslash {
                    bytes.append(byte)
                } else if digits.count == 2, let escaped = UInt8(String(Substring(digits)), radix: 16) {
                    bytes.append(escaped)
                    rest = rest.dropFirst(2)
                } else if let escaped = rest.popFirst() {
                    bytes.append(escaped)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    let attributes: [Attribute]

    init(_ text: String) {
        var attributes: [Attribute] = []
        var attribute = Attribute()
        var isEscaped = false
        for character in text {
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "=", attribute.key.isEmpty {
                (attribute.key, attribute.value) = (attribute.value + "=", "")
                continue
            } else if character == "," || character == "+" {
                attribute.end = String(character)
                attributes.append(attribute)
                attribute = Attribute()
                continue
            }
            attribute.value.append(character)
        }
        attributes.append(attribute)
        self.attributes = attributes
    }
}

private let backslash = UInt8(ascii: "\\")
