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
    /// File name of the bundle, for example `Share.appex`; nil for a plain file.
    public let bundleName: String?
    /// The text of the file, for columns in its lines; nil for a binary property list.
    public let text: String?
    /// The bytes of the file; for a bundle or an archive those of its Info.plist.
    public let bytes: [UInt8]

    /// Reads one file's bytes in any format.
    init(
        _ bytes: [UInt8], source: String, role: Role, bundleName: String? = nil,
        within budget: inout DecodingBudget
    ) throws(DeclarationError) {
        let file = try PropertyFile(bytes, source: source, within: &budget)
        declaration = try Declaration(root: file.root, source: source)
        text = file.text
        self.bytes = bytes
        self.role = role
        self.bundleName = bundleName
    }
}
