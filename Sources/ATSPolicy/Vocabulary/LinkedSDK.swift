/// The SDK that an app was linked with, as Xcode writes it into the bundle's Info.plist.
public struct LinkedSDK: Sendable, Hashable, CustomStringConvertible {
    public let platform: OSRelease.Platform
    public let version: OSVersion

    public init(platform: OSRelease.Platform, version: OSVersion) {
        self.platform = platform
        self.version = version
    }

    /// - Parameters:
    ///   - name: the value of `DTSDKName`, for example `iphoneos17.2`.
    ///   - platform: that of the bundle, used if `name` cannot be read.
    ///   - version: the value of `DTPlatformVersion`, used in the same case.
    /// - Returns: nil if neither can be read.
    init?(name: String?, platform: OSRelease.Platform?, version: String?) {
        let word = name?.prefix { !$0.isNumber } ?? ""
        if let name, let platform = OSRelease.Platform(sdk: String(word)),
            let version = OSVersion(name.dropFirst(word.count))
        {
            self.platform = platform
            self.version = version
        } else if let platform, let version = version.flatMap({ OSVersion($0) }) {
            self.platform = platform
            self.version = version
        } else {
            return nil
        }
    }

    /// Reads a name as Xcode writes it, or that of a release, for example `iphoneos18.5` or `ios18.5`.
    ///
    /// - Returns: nil for any other text.
    public init?(_ name: String) {
        self.init(name: name.lowercased(), platform: nil, version: nil)
    }

    /// For messages, for example `the SDK of iOS 16.4 (DTSDKName)`.
    public var description: String { "the SDK of \(platform.title) \(version) (\(Self.key))" }

    /// The name of the release whose SDK it is, for example `ios16.4`.
    public var name: String { platform.rawValue + version.description }

    /// True for SDKs older than those of an iOS release and its sibling releases.
    public func isBefore(_ generation: OSVersion) -> Bool {
        if let release = OSRelease(platform, version) { return release.generation < generation }
        // The version is older than ATS, or newer than all known releases.
        return version < OSVersion(9)
    }

    public static let key = "DTSDKName"
}

extension OSRelease.Platform {
    /// Reads an SDK or platform name as Xcode writes it, for example `iphoneos`.
    init?(sdk name: String) {
        switch name {
        case "iphoneos", "iphonesimulator": self = .ios
        case "appletvos", "appletvsimulator": self = .tvos
        case "watchos", "watchsimulator": self = .watchos
        case "xros", "xrsimulator": self = .visionos
        case "macosx": self = .macos
        default: self.init(rawValue: name)
        }
    }
}
