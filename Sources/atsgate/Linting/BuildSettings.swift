import ATSPolicy

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
