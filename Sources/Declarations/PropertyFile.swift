public import ATSPolicy

/// One parsed file. The first bytes determine its format. Old-style property lists are never read, because nearly any
/// text is a valid one.
public struct PropertyFile {
    public let root: PropertyNode
    /// The text of the file, for columns in its lines; nil for a binary property list.
    public let text: String?

    /// - Throws: for any other format, for invalid files, and for files beyond ``DeclarationLimits``.
    public init(_ bytes: [UInt8], source: String) throws(DeclarationError) {
        var budget = DecodingBudget()
        try self.init(bytes, source: source, within: &budget)
    }

    init(_ bytes: [UInt8], source: String, within budget: inout DecodingBudget) throws(DeclarationError) {
        guard bytes.count <= DeclarationLimits.fileBytes else { throw DeclarationLimits.tooLarge(source) }
        let text = try PolicyText(bytes, source: source)
        if text.utf8.starts(with: "bplist0".utf8), !text.isUTF16 {
            root = try BinaryPropertyList(text.utf8, source: source).root(within: &budget)
            self.text = nil
            return
        }
        switch text.utf8.first(where: { !Self.whitespace.contains($0) }) {
        case nil:
            throw DeclarationError(source: source, line: 1, what: "the file is empty")
        case UInt8(ascii: "<"):
            root = try XMLPropertyList.parse(text, source: source, within: &budget)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            do throws(DeclarationError) {
                root = try JSONText.parse(text.utf8, source: source, within: &budget)
            } catch {
                guard OldStyleList.isLikely(text.utf8) else { throw error }
                throw DeclarationError(source: source, line: 1, what: OldStyleList.refusal)
            }
        default:
            if let error = PreprocessorLine.error(in: text.utf8, source: source) { throw error }
            let isOld = OldStyleList.isLikely(text.utf8)
            throw DeclarationError(
                source: source, line: 1,
                what: isOld ? OldStyleList.refusal : "not an XML or binary property list, and not a JSON object")
        }
        self.text = String(validating: text.utf8, as: UTF8.self)
    }

    private static let whitespace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
}
