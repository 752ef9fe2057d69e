import ATSPolicy
import Declarations
import Diagnosis

/// The inputs of `lint`, read one after the other; one that cannot be read does not stop the rest.
struct LintSource {
    let linter: Linter
    let build: BuildSettings
    let search: DeclarationSearch

    private(set) var files: [LintedFile] = []
    private(set) var unreadable: [DeclarationError] = []

    mutating func read(_ path: String) {
        if let complaint = build.complaint(about: path) {
            return refuse(DeclarationError(source: path.isEmpty ? "INFOPLIST_FILE" : path, what: complaint))
        }
        guard DeclarationSearch.isFolder(path) else { return load(path) }
        let found = search.paths(in: path)
        guard !found.isEmpty else {
            return refuse(DeclarationError(source: path, what: "no Info.plist in the folder or below it"))
        }
        for path in found { load(path) }
    }

    private mutating func load(_ path: String) {
        do throws(DeclarationError) {
            let all = try DeclarationReader.read(path: path)
            let apps = all.filter { $0.role == .app }
            for loaded in all {
                let app = loaded.role == .appExtension && apps.count == 1 ? apps.first?.declaration : nil
                let file = linter.lint(loaded.declaration, bundle: loaded.bundleName, within: app)
                files.append(loaded.text.map(file.located) ?? file)
            }
        } catch {
            refuse(error)
        }
    }

    private mutating func refuse(_ error: DeclarationError) {
        unreadable.append(error)
        files.append(LintedFile(unreadable: error))
    }
}

/// The environment of an Xcode build phase.
struct BuildSettings {
    private let environment: [String: String]

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// The oldest release of the target; nil outside of a build, and for a release without ATS.
    var deployment: OSProfile? {
        let targets = [
            (platform: "iphone", name: "ios", setting: "IPHONEOS_DEPLOYMENT_TARGET"),
            (platform: "macosx", name: "macos", setting: "MACOSX_DEPLOYMENT_TARGET"),
            (platform: "appletv", name: "tvos", setting: "TVOS_DEPLOYMENT_TARGET"),
            (platform: "watch", name: "watchos", setting: "WATCHOS_DEPLOYMENT_TARGET"),
            (platform: "xr", name: "visionos", setting: "XROS_DEPLOYMENT_TARGET"),
        ]
        let platform = environment["PLATFORM_NAME"]
        for target in targets where platform.map({ $0.hasPrefix(target.platform) }) ?? true {
            if let version = environment[target.setting], !version.isEmpty {
                return OSProfile.named(target.name + version)
            }
        }
        return nil
    }

    /// The reason why `$SRCROOT/$INFOPLIST_FILE` is not a file; nil if it may be one.
    func complaint(about path: String) -> String? {
        let isRoot = environment["SRCROOT"].map { path == $0 || path == $0 + "/" } ?? false
        guard path.isEmpty || (isRoot && environment["INFOPLIST_FILE"] == "") else { return nil }
        return "INFOPLIST_FILE is empty because Xcode generates the Info.plist (GENERATE_INFOPLIST_FILE): lint "
            + "$TARGET_BUILD_DIR/$INFOPLIST_PATH in a later phase"
    }
}
