/// The inside of JSON strings.
enum JSONInside {
    /// Decodes the inside of a JSON string (RFC 8259 section 7).
    static func text(_ inside: some Collection<UInt8>) -> String {
        guard inside.contains(UInt8(ascii: "\\")) else { return String(decoding: inside, as: UTF8.self) }
        var units: [UInt16] = []
        var rest = inside[...]
        var plain: [UInt8] = []
        func flush() {
            units += String(decoding: plain, as: UTF8.self).utf16
            plain = []
        }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                plain.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "n"): plain.append(10)
            case UInt8(ascii: "t"): plain.append(9)
            case UInt8(ascii: "r"): plain.append(13)
            case UInt8(ascii: "b"): plain.append(8)
            case UInt8(ascii: "f"): plain.append(12)
            case UInt8(ascii: "u"):
                flush()
                let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                rest = rest.dropFirst(4)
                units.append(UInt16(digits, radix: 16) ?? 0xFFFD)
            default: plain.append(escape)
            }
        }
        flush()
        return String(decoding: units, as: UTF16.self)
    }
}
