public import ATSPolicy

/// Reads dictionaries from files, bundles, archives and standard input.
public enum DeclarationReader {
    /// Returns every dictionary at `path`: apps first, then their extensions, each sorted by name.
    ///
    /// - Parameters:
    ///   - path: a property list or JSON file, an .app, .appex, .ipa or .xcarchive, a directory that contains an
    ///     Info.plist, or `-`.
    ///   - standardInput: reads all of standard input; called only for `-`.
    ///   - willRead: called with each file and directory before it is read.
    public static func read(
        path: String, standardInput: () throws -> [UInt8] = StandardInput.read,
        willRead: @escaping (String) -> Void = { _ in }
    ) throws(DeclarationError) -> [LoadedDeclaration] {
        var budget = DecodingBudget()
        if path == "-" {
            let bytes: [UInt8]
            do { bytes = try standardInput() } catch {
                throw DeclarationError(source: path, what: "cannot read standard input: \(error)")
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

    /// Returns the one dictionary that a gate enforces: the app's own for a bundle. Its notes name other extensions in
    /// it.
    ///
    /// - Throws: if there are several apps, because the user must choose one.
    public static func readOne(
        path: String, standardInput: () throws -> [UInt8] = StandardInput.read,
        willRead: @escaping (String) -> Void = { _ in }
    ) throws(DeclarationError) -> Declaration {
        try readMain(path: path, standardInput: standardInput, willRead: willRead).declaration
    }

    /// Returns the same with its file.
    public static func readMain(
        path: String, standardInput: () throws -> [UInt8] = StandardInput.read,
        willRead: @escaping (String) -> Void = { _ in }
    ) throws(DeclarationError) -> LoadedDeclaration {
        let all = try read(path: path, standardInput: standardInput, willRead: willRead)
        let first = try main(of: all, path: path)
        var loaded = first
        for other in all where other.role == .appExtension && other != first {
            let name = other.bundleName ?? other.declaration.source ?? path
            loaded.declaration.notes.append("The extension \(name) has its own dictionary, which is not enforced here.")
        }
        return loaded
    }

    /// The dictionary that a gate enforces, of all at `path`.
    ///
    /// - Throws: if there are several apps.
    public static func main(
        of all: [LoadedDeclaration], path: String
    ) throws(DeclarationError) -> LoadedDeclaration {
        let mains = all.filter { $0.role != .appExtension }
        let candidates = mains.isEmpty ? all : mains
        guard let first = candidates.first else {
            throw DeclarationError(source: path, what: "contains no app")
        }
        guard candidates.count == 1 else {
            let names = candidates.map { $0.bundleName ?? path }.joined(separator: ", ")
            throw DeclarationError(source: path, what: "contains several apps (\(names)): name one of them")
        }
        return first
    }

    /// Parses one file's bytes in any format.
    ///
    /// - Parameter source: name of the file, for errors and the result.
    public static func parse(_ bytes: [UInt8], source: String) throws(DeclarationError) -> Declaration {
        try Declaration(root: try PropertyFile(bytes, source: source).root, source: source)
    }
}
