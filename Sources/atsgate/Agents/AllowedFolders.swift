import Foundation

/// The folders whose files the tools of `atsgate mcp` may read.
struct AllowedFolders: Sendable {
    /// Absolute, without links.
    let folders: [String]

    /// - Parameter folders: the first is the folder of relative paths.
    /// - Throws: ``CommandFailure`` with 65 for a folder that does not exist.
    init(_ folders: [String]) throws(CommandFailure) {
        var resolved: [String] = []
        for folder in folders {
            var isDirectory: ObjCBool = false
            guard let path = Self.realPath(folder),
                FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue
            else { throw .badInput("\(folder) is not a folder") }
            resolved.append(path)
        }
        self.folders = resolved
    }

    /// The path of a file with all links resolved. Tools get this path, so that the file that was checked is read.
    ///
    /// - Throws: ``ToolArgumentFault``, the same for a file outside of the folders and for one that does not exist, so that
    ///   a client does not learn which files exist elsewhere.
    func resolved(_ path: String, for name: String) throws(ToolArgumentFault) -> String {
        let absolute = path.hasPrefix("/") ? path : (folders.first ?? "/") + "/" + path
        guard let real = Self.realPath(absolute),
            folders.contains(where: { real == $0 || real.hasPrefix($0 == "/" ? "/" : $0 + "/") })
        else {
            throw ToolArgumentFault(
                "\(name): \(path) does not exist in the folders that this server may read "
                    + "(\(folders.joined(separator: ", "))); atsgate mcp --root FOLDER adds one")
        }
        return real
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}
