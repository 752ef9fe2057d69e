public import ATSPolicy

/// One declaration found at a path, and whose it is.
public struct LoadedDeclaration: Sendable, Hashable {
    public enum Role: String, Sendable, Hashable {
        /// A file that is not part of a bundle, or standard input.
        case file
        case app
        /// An app extension: a process of its own, with a dictionary of its own (docs/law/keys.md#when-it-applies).
        case appExtension
    }

    public let declaration: Declaration
    public let role: Role
    /// File name of the bundle, for example `Share.appex`; nil for a plain file.
    public let bundleName: String?
    /// What was read, for places within its lines; nil where it is no text, as a binary property list.
    public let text: String?
    /// What was read: of a bundle or an archive the Info.plist alone.
    public let bytes: [UInt8]

    /// Reads one file's bytes, whatever its format.
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
