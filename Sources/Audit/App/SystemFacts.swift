public import ATSPolicy
import Text

/// The oldest system and the SDK of a program, and their effect on its ATS rules.
public struct SystemFacts: Sendable, Hashable {
    /// The later one of the Info.plist's and the binary's, which both limit where the app runs; nil if neither has one.
    public let minimumOS: String?
    public let linkedSDK: LinkedSDK?
    /// Of the binary; empty if it was not read.
    public let architectures: [String]
    public let isEncrypted: Bool
    /// Sentences, each with its source.
    public let consequences: [String]

    /// - Parameter binary: the program's own code; nil if it was not found.
    init(_ declaration: Declaration, binary: MachOFile?) {
        let builds = binary?.slices.compactMap(\.build) ?? []
        let build = builds.first { $0.platform != nil && !$0.isSimulator } ?? builds.first { $0.platform != nil }
        architectures = binary?.slices.map(\.architecture) ?? []
        isEncrypted = binary?.slices.contains(where: \.isEncrypted) ?? false
        linkedSDK = build?.linkedSDK ?? declaration.linkedSDK
        let platform = build?.platform ?? declaration.platform ?? .ios
        let oldest = [build?.oldest, declaration.minimumOSVersion.flatMap { OSVersion($0) }].compactMap(\.self).max()
        minimumOS = oldest.map { "\(platform.title) \($0)" }
        let profile = oldest.flatMap { OSRelease(platform, $0) }.map(OSProfile.init)
        consequences =
            (profile.map { Self.consequences(oldest: $0, declaration) } ?? [])
            + (linkedSDK.map(Self.consequences(sdk:)) ?? [])
    }

    private static func consequences(oldest: OSProfile, _ declaration: Declaration) -> [String] {
        let keys = declaration.interpreted(for: .newest)
        var lines: [String] = []
        if !oldest.keys.contains(.siblings), keys.allowsArbitraryLoads == true {
            lines.append(
                "\(oldest.title) does not know the keys that override NSAllowsArbitraryLoads, so ATS is off there "
                    + "(docs/law/keys.md#global-keys).")
        }
        if !oldest.keys.contains(.pinnedDomains), !keys.pins.isEmpty {
            lines.append(
                "\(oldest.title) does not know NSPinnedDomains, so nothing is pinned there (docs/law/pinning.md).")
        }
        if oldest.localRule == .namesAndAllAddresses {
            lines.append("On \(oldest.title), ATS does not apply to addresses (docs/law/addresses.md#by-release).")
        }
        return lines
    }

    private static func consequences(sdk: LinkedSDK) -> [String] {
        var lines: [String] = []
        let isMac = sdk.platform == .macos
        if sdk.isBefore(OSVersion(17)) {
            lines.append(
                "Linked before the SDK of \(isMac ? "macOS 14" : "iOS 17"): ATS does not apply to addresses on "
                    + "\(isMac ? "macOS 14 to 15.3" : "iOS 17 to 18.3") "
                    + "(docs/law/addresses.md#by-release).")
        }
        let generation = OSRelease(sdk.platform, sdk.version)?.generation
        if let generation, generation < OSVersion(26) {
            lines.append(
                "Linked before the SDK of \(isMac ? "macOS" : "iOS") 26: code that ATS does not govern may still use TLS 1.0 by default on 26 "
                    + "(Apple, macOS 26 release notes).")
        }
        return lines
    }
}
