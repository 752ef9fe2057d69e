public import ATSPolicy

/// One dictionary found at a path, with its owner.
public struct LoadedDeclaration: Sendable, Hashable {
    public enum Role: String, Sendable, Hashable {
        /// A file that is not part of a bundle, or standard input.
        case file
        case app
        /// An app extension: a separate process with a separate dictionary (docs/law/keys.md#when-it-applies).
        case appExtension
    }

    public internal(set) var declaration: Declaration
    public let role: Role
    /// File name of the bundle, for example `Share.appex`, or name of the product in a project file; nil for a plain
    /// file.
    public let bundleName: String?
    /// The text of the file, for columns in its lines; nil for a binary property list.
    public let text: String?
    /// The bytes of the file; for a bundle or an archive those of its Info.plist.
    public let bytes: [UInt8]

    /// A file that was read.
    struct File {
        let source: String
        let text: String?
        let bytes: [UInt8]
    }

    init(_ declaration: Declaration, of file: File, role: Role, bundleName: String?) {
        self.declaration = declaration
        self.role = role
        self.bundleName = bundleName
        text = file.text
        bytes = file.bytes
    }

    /// Reads the Info.plist of a bundle.
    init(
        _ bytes: [UInt8], source: String, role: Role, bundleName: String? = nil,
        within budget: inout DecodingBudget
    ) throws(DeclarationError) {
        let file = try PropertyFile(bytes, source: source, within: &budget)
        declaration = try Declaration(root: file.root, source: source, isDocument: file.isDocument)
        text = file.text
        self.bytes = bytes
        self.role = role
        self.bundleName = bundleName
    }

    /// Reads a file of any format that is not part of a bundle.
    ///
    /// - Parameter sibling: reads a file by its path relative to this one; nil if it does not exist.
    /// - Returns: one dictionary, or one for each product of a project file.
    static func all(
        _ bytes: [UInt8], source: String, within budget: inout DecodingBudget,
        sibling: (String, inout DecodingBudget) throws(DeclarationError) -> LoadedDeclaration?
    ) throws(DeclarationError) -> [LoadedDeclaration] {
        let file = try PropertyFile(bytes, source: source, within: &budget)
        let read = File(source: source, text: file.text, bytes: bytes)
        guard case .dictionary(let top) = file.root.value, let form = ProjectForm.of(top) else {
            var declaration = try Declaration(root: file.root, source: source, isDocument: file.isDocument)
            declaration.notes += [file.note].compactMap(\.self)
            return [LoadedDeclaration(declaration, of: read, role: .file, bundleName: nil)]
        }
        let project = ProjectFile(form: form, file: read, members: top)
        return try project.declarations { path throws(DeclarationError) in try sibling(path, &budget) }
    }
}
