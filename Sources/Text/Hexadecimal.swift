extension Sequence<UInt8> {
    /// The bytes in lower-case hexadecimal, two digits for each.
    public var hexadecimal: String {
        var text: [UInt8] = []
        for byte in self {
            text.append(hexadecimalDigits[Int(byte >> 4)])
            text.append(hexadecimalDigits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number in lower-case hexadecimal, with all digits of its type: four for a `UInt16`.
    public var hexadecimal: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }
}

private let hexadecimalDigits = Array("0123456789abcdef".utf8)
