public import ATSPolicy

/// The system and the SDK that a binary was linked for. Source: Apple, xnu, EXTERNAL_HEADERS/mach-o/loader.h,
/// LC_BUILD_VERSION and LC_VERSION_MIN.
public struct MachOBuild: Sendable, Hashable {
    /// nil for a platform without ATS, such as DriverKit.
    public let platform: OSRelease.Platform?
    public let isSimulator: Bool
    /// The oldest release on which the binary runs.
    public let oldest: OSVersion
    /// nil if the linker did not know it.
    public let sdk: OSVersion?

    init(platform number: UInt32, oldest: UInt32, sdk: UInt32) {
        // PLATFORM_MACCATALYST counts as iOS: its versions are those of iOS.
        switch number {
        case 1: platform = .macos
        case 2, 6, 7: platform = .ios
        case 3, 8: platform = .tvos
        case 4, 9: platform = .watchos
        case 11, 12: platform = .visionos
        default: platform = nil
        }
        isSimulator = [7, 8, 9, 12].contains(number)
        self.oldest = Self.version(oldest)
        self.sdk = sdk == 0 ? nil : Self.version(sdk)
    }

    /// The SDK in the form of the rules; nil if it or the platform is unknown.
    public var linkedSDK: LinkedSDK? {
        guard let platform, let sdk else { return nil }
        return LinkedSDK(platform: platform, version: sdk)
    }

    /// Commands of older linkers, with the number of their platform.
    static let oldPlatforms: [UInt32: UInt32] = [0x24: 1, 0x25: 2, 0x2F: 3, 0x30: 4]

    /// The number `xxxx.yy.zz` in nibbles.
    private static func version(_ number: UInt32) -> OSVersion {
        OSVersion(Int(number >> 16), Int(number >> 8 & 0xFF), Int(number & 0xFF))
    }
}
