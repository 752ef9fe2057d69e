import Declarations

/// The processes of an app, found by the places of their Info.plist files.
struct BundleLayout {
    /// One program with its own dictionary.
    struct Bundle {
        /// Path of its folder, beginning with the outermost bundle.
        let path: String
        let kind: ExecutableKind
        let infoPlist: AppFile
        /// Path of the folder with the Info.plist: that of the bundle, or its `Contents`.
        let contents: String
    }

    /// The outermost bundle first, the others by path.
    let bundles: [Bundle]
    /// The files of the bundles, with their paths from the outermost bundle on.
    let files: [(file: AppFile, path: String)]

    /// - Parameter name: file name of a folder that is a bundle itself; nil for an archive.
    init(_ contents: AppContents, name: String?) {
        let isBundle = contents.files.contains { ["Info.plist", "Contents/Info.plist"].contains($0.path) }
        let prefix = isBundle ? name.map { $0 + "/" } : nil
        files = contents.files.compactMap { file in
            if let prefix { return (file, prefix + file.path) }
            return Self.fromOutermostBundle(file.path).map { (file, $0) }
        }
        bundles = files.compactMap { Self.bundle($0.file, $0.path, isTop: prefix) }
            .sorted { ($0.path.split(separator: "/").count, $0.path) < ($1.path.split(separator: "/").count, $1.path) }
    }

    /// The bundle whose process loads the code or the data of a file: the innermost one.
    func owner(of path: String) -> Bundle? {
        bundles.filter { path.hasPrefix($0.path + "/") }.max { $0.path.utf8.count < $1.path.utf8.count }
    }

    /// `Payload/Demo.app/Info.plist` without `Payload`; nil outside of a bundle.
    private static func fromOutermostBundle(_ path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.dropLast().firstIndex(where: { isBundle($0) }) else { return nil }
        // The finder's copies of attributes in archives of macOS.
        return parts.contains("__MACOSX") ? nil : parts[first...].joined(separator: "/")
    }

    private static func bundle(_ file: AppFile, _ path: String, isTop prefix: String?) -> Bundle? {
        guard path.hasSuffix("/Info.plist") else { return nil }
        let contents = String(path.dropLast("/Info.plist".utf8.count))
        let root = contents.hasSuffix("/Contents") ? String(contents.dropLast("/Contents".utf8.count)) : contents
        let parts = root.split(separator: "/")
        guard let last = parts.last, isBundle(last) || parts.count == 1 && prefix != nil else { return nil }
        return Bundle(path: root, kind: kind(parts), infoPlist: file, contents: contents)
    }

    private static func kind(_ parts: [Substring]) -> ExecutableKind {
        let last = parts.last ?? ""
        if last.hasSuffix(".appex") { return .appExtension }
        if last.hasSuffix(".xpc") || last.hasSuffix(".systemextension") { return .service }
        guard parts.count > 1 else { return .app }
        switch parts[parts.count - 2] {
        case "Watch": return .watchApp
        case "AppClips": return .appClip
        default: return .helper
        }
    }

    private static func isBundle(_ name: Substring) -> Bool {
        [".app", ".appex", ".xpc", ".systemextension"].contains(where: name.hasSuffix)
    }
}

/// The kinds of programs with a dictionary of their own. Raw values are shown in JSON.
public enum ExecutableKind: String, Sendable, Hashable, CaseIterable {
    case app
    case appExtension = "extension"
    case watchApp = "watch-app"
    case appClip = "app-clip"
    /// An XPC service or a system extension of a Mac app.
    case service
    /// Another program inside of an app.
    case helper
    /// A property list that is not part of a bundle.
    case file

    /// For text.
    public var words: String {
        switch self {
        case .app: "app"
        case .appExtension: "extension"
        case .watchApp: "watch app"
        case .appClip: "app clip"
        case .service: "service"
        case .helper: "helper"
        case .file: "file"
        }
    }
}
