/// The way in which a file of an app is read.
enum FileType: Sendable, Hashable {
    case machO
    case hermes
    /// String literals of a Unity app.
    case unity
    case propertyList
    /// Text in ASCII or UTF-8.
    case text
    /// Text in UTF-16, little-endian or big-endian.
    case wideText(isBigEndian: Bool)
    /// Other bytes whose strings have no common form, such as a nib.
    case data
    /// A certificate in DER or PEM.
    case certificate
    /// Not read: an image, a font, or another format without URLs that the app loads.
    case skipped
    /// An archive inside of the app, which is not unpacked.
    case archive

    init(path: String, beginning: [UInt8]) {
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        let ending = name.contains(".") ? String(name.split(separator: ".").last ?? "") : ""
        if MachOFile.isMachO(beginning) {
            self = .machO
        } else if HermesBytecode.isHermes(beginning) {
            self = .hermes
        } else if UnityMetadata.isMetadata(beginning, name: name) {
            self = .unity
        } else if Self.certificates.contains(ending) {
            self = .certificate
        } else if Self.skippedEndings.contains(ending) || Self.skippedNames.contains(name)
            || path.contains("/_CodeSignature/")
        {
            self = .skipped
        } else if beginning.starts(with: Array("bplist0".utf8)) {
            self = .propertyList
        } else if Self.archives.contains(ending) || beginning.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            self = .archive
        } else {
            self = Self.byContent(beginning, ending)
        }
    }

    private static func byContent(_ beginning: [UInt8], _ ending: String) -> FileType {
        if beginning.starts(with: [0xFF, 0xFE]) { return .wideText(isBigEndian: false) }
        if beginning.starts(with: [0xFE, 0xFF]) { return .wideText(isBigEndian: true) }
        if ["plist", "strings", "stringsdict", "xcprivacy"].contains(ending) { return .propertyList }
        return beginning.contains(0) ? .data : .text
    }

    /// True for text about a program, which the app shows or does not use: links in it are not loads.
    static func isDocument(_ path: String) -> Bool {
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        let stem = name.split(separator: ".").first ?? ""
        let ending = name.split(separator: ".").last ?? ""
        return documentEndings.contains(String(ending)) || manifests.contains(name)
            || documentNames.contains(where: stem.hasPrefix)
            || path.contains(".dist-info/") || path.contains(".egg-info/") || path.contains("/Headers/")
    }

    /// True for code and pages, whose comments contain links for people.
    static func isCode(_ path: String) -> Bool {
        code.contains(path.split(separator: ".").last.map { $0.lowercased() } ?? "")
    }

    private static let code: Set = [
        "bundle", "cjs", "css", "htm", "html", "js", "jsbundle", "json", "jsx", "mjs", "py", "ts",
    ]
    private static let certificates: Set = ["cer", "crt", "der", "pem"]
    private static let skippedEndings: Set = [
        "aac", "aiff", "avif", "bcmap", "bmp", "caf", "car", "dylibsymbols", "eot", "gif", "heic", "icns", "ico",
        "jpeg",
        "jpg", "ktx", "lproj", "m4a", "m4v", "map", "metallib", "mlmodel", "mlmodelc", "mobileprovision", "mov", "mp3",
        "mp4", "nmf", "ogg", "otf", "pak", "pdf", "png", "provisionprofile", "pvr", "svg", "tflite", "tif", "tiff",
        "ttc",
        "ttf", "wav", "webm", "webp", "woff", "woff2", "xib",
    ]
    private static let skippedNames: Set = ["coderesources", "pkginfo", ".ds_store", "icudtl.dat"]
    private static let archives: Set = ["7z", "bz2", "gz", "rar", "tar", "tgz", "xz", "zip", "zst"]
    private static let documentEndings: Set = [
        "h", "hpp", "licence", "license", "md", "markdown", "modulemap", "pyi", "rst", "swiftdoc", "swiftinterface",
    ]
    /// Descriptions of packages: addresses of authors and projects.
    private static let manifests: Set = ["bower.json", "composer.json", "package.json", "pyproject.toml"]
    private static let documentNames = [
        "3rdparty", "acknowledgement", "authors", "changelog", "changes", "copying", "licence", "license", "metadata",
        "notice",
        "pods-", "readme", "third-party", "thirdparty", "third_party",
    ]
}
