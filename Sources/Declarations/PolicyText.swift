import ATSPolicy

/// The text of a policy file in UTF-8, converted from UTF-8 or UTF-16 with or without a byte order mark.
struct PolicyText {
    /// The text without the mark.
    let utf8: [UInt8]
    /// True if the file was UTF-16.
    let isUTF16: Bool

    /// - Throws: for invalid UTF-16.
    init(_ bytes: [UInt8], source: String) throws(DeclarationError) {
        let mark = bytes.prefix(2)
        let hasMark = mark == [0xFE, 0xFF] || mark == [0xFF, 0xFE]
        // Without a mark, the first character decides, which is ASCII (XML 1.0 appendix F.1).
        let isBare = mark.count == 2 && mark.contains(0) && mark.contains { $0 != 0 }
        isUTF16 = hasMark || isBare
        guard isUTF16 else {
            utf8 = bytes.starts(with: Self.utf8Mark) ? Array(bytes[Self.utf8Mark.count...]) : bytes
            return
        }
        let isBigEndian = mark.first == 0xFE || mark.first == 0
        let units = stride(from: hasMark ? 2 : 0, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
            throw DeclarationError(source: source, what: "begins like UTF-16, but is not valid UTF-16")
        }
        utf8 = Array(text.utf8)
    }

    /// The same with other text, in as many lines.
    init(_ utf8: [UInt8], like other: PolicyText) {
        self.utf8 = utf8
        isUTF16 = other.isUTF16
    }

    private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
