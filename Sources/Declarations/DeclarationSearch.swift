import ATSPolicy
import Foundation

/// Finds dictionaries in a folder of sources or builds.
public struct DeclarationSearch: Sendable {
    private let patterns: [String]

    /// - Parameter patterns: patterns of names, or of paths below the folder, as in a shell: `*`, `?`, `[a-z]`. Hidden
    ///   files and folders of dependencies and builds are always excluded.
    public init(excluding patterns: [String] = []) {
        self.patterns = patterns
    }

    /// True if a path is a folder to search, not a bundle to read.
    public static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
            return false
        }
        return !bundles.contains(suffix(of: path))
            && !FileManager.default.fileExists(atPath: path + "/Contents/Info.plist")
    }

    /// Paths of bundles, archives and files with a dictionary, sorted; links are not followed.
    public func paths(in folder: String) -> [String] {
        let top = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return found(in: top, below: "")
    }

    private func found(in folder: String, below place: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().flatMap { name -> [String] in
            let place = place.isEmpty ? name : place + "/" + name
            let path = folder + "/" + name
            guard !name.hasPrefix("."), !isExcluded(name, place) else { return [] }
            let type = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
            switch type {
            case .typeDirectory?:
                if Self.bundles.contains(Self.suffix(of: name)) { return [path] }
                let isOpaque = Self.opaque.contains(Self.suffix(of: name)) || Self.dependencies.contains(name)
                return isOpaque ? [] : found(in: path, below: place)
            case .typeRegular?: return Self.declares(path, name) ? [path] : []
            default: return []
            }
        }
    }

    private func isExcluded(_ name: String, _ place: String) -> Bool {
        patterns.contains { fnmatch($0, name, 0) == 0 || fnmatch($0, place, 0) == 0 }
    }

    /// True for an Info.plist by its name, for another list or a project file by its name and content.
    private static func declares(_ path: String, _ name: String) -> Bool {
        switch suffix(of: name) {
        case "ipa": true
        case "plist": name.hasSuffix("Info.plist") || holds(path, ATSKey.root)
        case "json":
            (["app.json", "app.config.json"].contains(name) && holds(path, "\"expo\""))
                || ["tauri.conf.json", "tauri.macos.conf.json", "tauri.ios.conf.json"].contains(name)
        case "xml": ["config.xml", "plugin.xml"].contains(name) && holds(path, ATSKey.root)
        case "yml", "yaml", "swift": holds(path, ATSKey.root) && isManifest(path, name)
        default: false
        }
    }

    /// True for a project of XcodeGen, and for a manifest of Tuist.
    private static func isManifest(_ path: String, _ name: String) -> Bool {
        name.hasSuffix(".swift") ? holds(path, "import ProjectDescription") : holds(path, "targets:")
    }

    private static func holds(_ path: String, _ text: String) -> Bool {
        guard let bytes = try? FileBytes.read(path) else { return false }
        return Data(bytes).range(of: Data(text.utf8)) != nil
    }

    private static func suffix(of path: String) -> String { URL(fileURLWithPath: path).pathExtension }

    private static let bundles: Set = ["app", "appex", "xcarchive"]
    /// Bundles whose dictionary has no effect.
    private static let opaque: Set = [
        "bundle", "dSYM", "framework", "lproj", "playground", "xcassets", "xcframework", "xcodeproj", "xcworkspace",
    ]
    private static let dependencies: Set = ["Carthage", "DerivedData", "Pods", "build", "node_modules"]
}
