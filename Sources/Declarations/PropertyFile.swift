public import ATSPolicy

/// One parsed file. Its name and its first bytes determine the format.
public struct PropertyFile {
    public let root: PropertyNode
    /// The text of the file, for columns in its lines; nil for a binary property list.
    public let text: String?
    /// True for a complete property list, in contrast to a part of one or to the file of another tool.
    let isDocument: Bool
    /// A remark on the format, as a sentence; nil if there is none.
    let note: String?

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
            (self.text, isDocument, note) = (nil, true, nil)
            return
        }
        let pasted = PastedList.unfenced(text)
        guard let first = pasted.utf8.first(where: { !PastedList.isBlank($0) }) else {
            throw DeclarationError(source: source, line: 1, what: "the file is empty")
        }
        if first == UInt8(ascii: "<"), !PastedList.isProject(source) {
            (root, isDocument) = try XMLPropertyList.parse(pasted, source: source, within: &budget)
            note = nil
        } else {
            let list = try PastedList(pasted.utf8, first: first, source: source, within: &budget)
            (root, isDocument, note) = (list.root, false, list.note)
        }
        self.text = String(validating: pasted.utf8, as: UTF8.self)
    }
}
