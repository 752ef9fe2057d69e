public import ATSPolicy

/// Reads dictionaries from files, bundles, archives and standard input.
public enum DeclarationReader {
    /// Returns every dictionary at `path`: apps first, then their extensions, each sorted by name.
    ///
    /// - Parameters:
    ///   - path: a property list or JSON file, a file of a tool (``ProjectForm``), an .app, .appex, .ipa or .xcarchive, a
    ///     directory that contains an Info.plist, or `-`; with `#NAME` at its end, only that product.
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
            return try LoadedDeclaration.all(bytes, source: path, within: &budget) { _, _ in nil }
        }
        if let (file, product) = named(path) {
            let all = try read(path: file, willRead: willRead)
            let found = all.filter { $0.bundleName == product }
            guard found.isEmpty else { return found }
            let names = all.compactMap(\.bundleName)
            let known = names.isEmpty ? "it has no named products" : "it has \(names.joined(separator: ", "))"
            throw DeclarationError(source: file, what: "no product \(product): \(known)")
        }
        willRead(path)
        switch try FileBytes.kind(of: path) {
        case .directory:
            return try BundleDirectory(path: path, willRead: willRead).declarations(within: &budget)
        case .file:
            if try FileBytes.startsLikeZip(path) { return try AppArchive(path: path).declarations(within: &budget) }
            let bytes = try FileBytes.read(path)
            return try LoadedDeclaration.all(bytes, source: path, within: &budget) {
                relative, budget throws(DeclarationError) in
                let place = sibling(relative, of: path)
                willRead(place)
                guard FileBytes.exists(place) else { return nil }
                return try LoadedDeclaration(
                    try FileBytes.read(place), source: place, role: .file, within: &budget)
            }
        }
    }

    /// A path of a file that ends with `#PRODUCT`; nil for any other path.
    private static func named(_ path: String) -> (file: String, product: String)? {
        guard let mark = path.lastIndex(of: "#"), mark > path.startIndex, !FileBytes.exists(path) else { return nil }
        let file = String(path[..<mark])
        return FileBytes.exists(file) ? (file, String(path[path.index(after: mark)...])) : nil
    }

    /// A path relative to the folder of a file.
    private static func sibling(_ relative: String, of path: String) -> String {
        guard !relative.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return relative }
        return path[...slash] + relative
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
            let place = other.declaration.source ?? path
            loaded.declaration.notes.append(
                "The dictionary of the app is judged. The extension \(name) is another executable with its own dictionary,"
                    + " which is not enforced here: \(place).")
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
            let hint =
                first.role == .app && first.declaration.source == path
                ? ", as in \(path)#\(first.bundleName ?? "")" : ""
            throw DeclarationError(source: path, what: "contains several apps (\(names)): name one of them\(hint)")
        }
        return first
    }

    /// Parses one file's bytes in any format.
    ///
    /// - Parameter source: name of the file, for errors and the result.
    public static func parse(_ bytes: [UInt8], source: String) throws(DeclarationError) -> Declaration {
        var budget = DecodingBudget()
        let all = try LoadedDeclaration.all(bytes, source: source, within: &budget) { _, _ in nil }
        return try main(of: all, path: source).declaration
    }
}
