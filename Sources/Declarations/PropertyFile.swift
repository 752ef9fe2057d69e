public import ATSPolicy

/// Tells the formats apart by their first bytes and reads them. The old-style property list is never taken: nearly any
/// text is one.
public enum PropertyFile {
    /// The tree of one file.
    ///
    /// - Throws: for every other format, for broken files, and for those beyond ``DeclarationReader/limitBytes``.
    public static func parse(_ bytes: [UInt8], source: String) throws(DeclarationError) -> PropertyNode {
        guard bytes.count <= DeclarationReader.limitBytes else { throw FileBytes.tooLarge(source) }
        guard !bytes.starts(with: [0xFE, 0xFF]), !bytes.starts(with: [0xFF, 0xFE]) else {
            throw DeclarationError(source: source, what: "the file is UTF-16 text; save it as UTF-8")
        }
        let text = bytes.starts(with: utf8Mark) ? bytes[utf8Mark.count...] : bytes[...]
        if isBinary(text) {
            return try BinaryPropertyList(Array(text), source: source).root()
        }
        switch text.first(where: { !whitespace.contains($0) }) {
        case nil:
            throw DeclarationError(source: source, line: 1, what: "the file is empty")
        case UInt8(ascii: "<"):
            return try XMLPropertyList.parse(Array(text), source: source)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return try JSONText.parse(Array(text), source: source)
        default:
            throw DeclarationError(
                source: source, line: 1, what: "neither an XML or binary property list nor a JSON object")
        }
    }

    /// Whether the bytes are those of a binary property list.
    static func isBinary(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: "bplist0".utf8) }

    /// Values nested deeper than this are refused.
    static let depthLimit = 64

    private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let whitespace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
}
