import ATSPolicy

/// An .ipa: the app in Payload and the extensions in it.
struct AppArchive {
    let path: String

    /// The apps, then the extensions, each sorted by name.
    func declarations(within budget: inout DecodingBudget) throws(DeclarationError) -> [LoadedDeclaration] {
        let zip = try ZipArchive(path: path)
        var apps: [LoadedDeclaration] = []
        var extensions: [LoadedDeclaration] = []
        for entry in zip.entries.compactMap(Self.place).sorted(by: { $0.name < $1.name }) {
            let source = path + "!" + entry.name
            let bytes = try zip.read(entry.index, source: source, within: &budget)
            let loaded = try LoadedDeclaration(
                bytes, source: source, role: entry.role, bundleName: entry.bundleName, within: &budget)
            if entry.role == .app { apps.append(loaded) } else { extensions.append(loaded) }
        }
        guard !apps.isEmpty else {
            throw DeclarationError(source: path, what: "no Payload/*.app/Info.plist in the archive")
        }
        return apps + extensions
    }

    private struct FoundEntry {
        let index: Int
        let name: String
        let role: LoadedDeclaration.Role
        let bundleName: String
    }

    /// Payload/X.app/Info.plist, or Payload/X.app/PlugIns/Y.appex/Info.plist; nil for any other entry.
    private static func place(_ entry: ZipArchive.Entry) -> FoundEntry? {
        let parts = entry.name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.first == "Payload", parts.last == "Info.plist", parts.count > 2, parts[1].hasSuffix(".app") else {
            return nil
        }
        if parts.count == 3 {
            return FoundEntry(index: entry.index, name: entry.name, role: .app, bundleName: parts[1])
        }
        guard parts.count == 5, ["PlugIns", "Extensions"].contains(parts[2]), parts[3].hasSuffix(".appex") else {
            return nil
        }
        return FoundEntry(index: entry.index, name: entry.name, role: .appExtension, bundleName: parts[3])
    }
}
