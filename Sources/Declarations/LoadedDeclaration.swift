public import ATSPolicy

/// One declaration found at a path, and whose it is.
public struct LoadedDeclaration: Sendable, Hashable {
    public enum Role: String, Sendable, Hashable {
        /// A file that is not part of a bundle, or standard input.
        case file
        case app
        /// An app extension: a process of its own, with a dictionary of its own (`ats-semantics.md` 1.1).
        case appExtension
    }

    public let declaration: Declaration
    public let role: Role
    /// File name of the bundle, for example `Share.appex`; nil for a plain file.
    public let bundleName: String?

    public init(declaration: Declaration, role: Role, bundleName: String? = nil) {
        self.declaration = declaration
        self.role = role
        self.bundleName = bundleName
    }
}
