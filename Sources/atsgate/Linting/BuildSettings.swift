import ATSPolicy

/// What a build phase of Xcode's tells by its environment.
struct BuildSettings {
    private let environment: [String: String]

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// The oldest system of the target; nil outside of a build, and for one that no system with ATS has.
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

    /// Why a path of `$SRCROOT/$INFOPLIST_FILE` is none; nil where it may be one.
    func complaint(about path: String) -> String? {
        let isRoot = environment["SRCROOT"].map { path == $0 || path == $0 + "/" } ?? false
        guard path.isEmpty || (isRoot && environment["INFOPLIST_FILE"] == "") else { return nil }
        return "INFOPLIST_FILE is empty, since Xcode makes the list (GENERATE_INFOPLIST_FILE): lint "
            + "$TARGET_BUILD_DIR/$INFOPLIST_PATH, in a phase after it is made"
    }
}
