public import ATSPolicy

/// Reads declarations from files, bundles, archives and standard input.
public enum DeclarationReader {
    /// Every declaration at `path`: apps first, then their extensions, each in the order of their names.
    ///
    /// - Parameters:
    ///   - path: a property list or JSON file, an .app, .appex, .ipa or .xcarchive, a directory that holds an
    ///     Info.plist, or `-`.
    ///   - standardInput: reads all of standard input; called only for `-`.
    ///   - willRead: called with each file and directory before it is looked at.
    public static func read(
        path: String, standardInput: () throws -> [UInt8] = StandardInput.read,
        willRead: @escaping (String) -> Void = { _ in }
    ) throws(DeclarationError) -> [LoadedDeclaration] {
        var budget = DecodingBudget()
        if path == "-" {
            let bytes: [UInt8]
            do { bytes = try standardInput() } catch {
                throw DeclarationError(source: path, what: "standard input can not be read: \(error)")
            }
            return [try LoadedDeclaration(bytes, source: path, role: .file, within: &budget)]
        }
        willRead(path)
        switch try FileBytes.kind(of: path) {
        case .directory:
            return try BundleDirectory(path: path, willRead: willRead).declarations(within: &budget)
        case .file:
            if try FileBytes.startsLikeZip(path) { return try AppArchive(path: path).declarations(within: &budget) }
            return [try LoadedDeclaration(try FileBytes.read(path), source: path, role: .file, within: &budget)]
        }
    }

    /// The one declaration that a gate enforces: of a bundle the app's own; its notes name extensions found beside it.
    ///
    /// - Throws: when several apps are there, since the choice must be the user's.
    public static func readOne(
        path: String, standardInput: () throws -> [UInt8] = StandardInput.read,
        willRead: @escaping (String) -> Void = { _ in }
    ) throws(DeclarationError) -> Declaration {
        let all = try read(path: path, standardInput: standardInput, willRead: willRead)
        let first = try main(of: all, path: path)
        var declaration = first.declaration
        for other in all where other.role == .appExtension && other != first {
            let name = other.bundleName ?? other.declaration.source ?? path
            declaration.notes.append("The extension \(name) has its own dictionary, which is not enforced here.")
        }
        return declaration
    }

    /// Of all at `path` the one that a gate enforces.
    ///
    /// - Throws: when several apps are there.
    public static func main(
        of all: [LoadedDeclaration], path: String
    ) throws(DeclarationError) -> LoadedDeclaration {
        let mains = all.filter { $0.role != .appExtension }
        let candidates = mains.isEmpty ? all : mains
        guard let first = candidates.first else {
            throw DeclarationError(source: path, what: "no app was found in it")
        }
        guard candidates.count == 1 else {
            let names = candidates.map { $0.bundleName ?? path }.joined(separator: ", ")
            throw DeclarationError(source: path, what: "it holds several apps (\(names)): name one of them")
        }
        return first
    }

    /// Reads one file's bytes, whatever its format.
    ///
    /// - Parameter source: names the file in errors and in the result.
    public static func parse(_ bytes: [UInt8], source: String) throws(DeclarationError) -> Declaration {
        try Declaration(root: try PropertyFile(bytes, source: source).root, source: source)
    }
}
