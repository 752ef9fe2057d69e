import ATSPolicy
import Foundation

/// A directory that is an app, an extension or an Xcode archive, or that contains an Info.plist.
struct BundleDirectory {
    private let path: String
    private let willRead: (String) -> Void

    /// - Parameters:
    ///   - path: trailing slashes are dropped.
    ///   - willRead: called with each file and directory before it is read.
    init(path: String, willRead: @escaping (String) -> Void) {
        self.willRead = willRead
        let trimmed = path.reversed().drop { $0 == "/" }.reversed()
        self.path = trimmed.isEmpty ? path : String(trimmed)
    }

    /// The app, then its extensions by name; for an archive all apps first.
    func declarations(within budget: inout DecodingBudget) throws(DeclarationError) -> [LoadedDeclaration] {
        if hasExtension("xcarchive") { return try archived(within: &budget) }
        guard let list = infoPlist else {
            throw DeclarationError(source: path, what: "no Info.plist in the directory")
        }
        let role: LoadedDeclaration.Role = hasExtension("appex") ? .appExtension : .app
        let own = try load(list, role: role, name: lastComponent, within: &budget)
        let parent = String(list.dropLast("/Info.plist".count))
        var found = [own]
        for folder in ["PlugIns", "Extensions"] {
            for name in names(in: parent + "/" + folder, ending: ".appex") {
                let bundle = BundleDirectory(path: "\(parent)/\(folder)/\(name)", willRead: willRead)
                guard let inner = bundle.infoPlist else { continue }
                found.append(try load(inner, role: .appExtension, name: name, within: &budget))
            }
        }
        return found
    }

    /// Products/Applications/*.app of an .xcarchive.
    private func archived(within budget: inout DecodingBudget) throws(DeclarationError) -> [LoadedDeclaration] {
        let folder = path + "/Products/Applications"
        var found: [LoadedDeclaration] = []
        for name in names(in: folder, ending: ".app") {
            found += try BundleDirectory(path: folder + "/" + name, willRead: willRead).declarations(within: &budget)
        }
        guard !found.isEmpty else {
            throw DeclarationError(source: path, what: "no app in Products/Applications")
        }
        return found.filter { $0.role == .app } + found.filter { $0.role != .app }
    }

    /// macOS keeps it in Contents, iOS next to the executable.
    private var infoPlist: String? {
        ["/Contents/Info.plist", "/Info.plist"].map { path + $0 }.first { file in
            willRead(file)
            return FileManager.default.fileExists(atPath: file)
        }
    }

    private func load(
        _ file: String, role: LoadedDeclaration.Role, name: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> LoadedDeclaration {
        try LoadedDeclaration(try FileBytes.read(file), source: file, role: role, bundleName: name, within: &budget)
    }

    private func names(in folder: String, ending suffix: String) -> [String] {
        willRead(folder)
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return all.filter { $0.hasSuffix(suffix) }.sorted()
    }

    private var lastComponent: String { URL(fileURLWithPath: path).lastPathComponent }

    private func hasExtension(_ wanted: String) -> Bool { lastComponent.hasSuffix("." + wanted) }
}
