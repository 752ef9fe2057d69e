public import Text

/// An app's App Transport Security dictionary, as found in a file. Values stay raw: what counts depends on the OS
/// generation, see ``interpreted(for:)``.
public struct Declaration: Sendable, Hashable {
    /// The file that it came from; nil for the secure defaults.
    public var source: String?
    /// `CFBundleIdentifier` of the Info.plist around it.
    public var bundleID: String?
    /// `MinimumOSVersion` or `LSMinimumSystemVersion`.
    public var minimumOSVersion: String?
    /// Which of the two keys that was.
    public var minimumOSVersionKey: String?
    /// Told by `DTPlatformName`, or by a key that only Macs have; nil when nothing tells.
    public var platform: OSRelease.Platform?
    /// `DTPlatformVersion`: the SDK's version, for example `26.0`.
    public var platformVersion: String?
    /// The SDK that the app was linked with; nil when nothing tells.
    public var linkedSDK: LinkedSDK?
    /// Contents of `NSAppTransportSecurity`, in the order of the file; empty for the secure defaults.
    public var members: [PropertyMember]
    /// Line of `NSAppTransportSecurity`, or of the bare dictionary.
    public var line: Int?
    /// Hosts that the app's own code pins by TrustKit, as far as the Info.plist tells. Source: TrustKit, "Getting
    /// Started": TSKConfiguration, TSKPinnedDomains, TSKIncludeSubdomains.
    public var trustKitDomains = HostPatterns([])
    /// Keys of ATS around it, which have no effect.
    public var strays: [StrayKey] = []
    /// What else is worth telling about the source, for example extensions found beside the app.
    public var notes: [String] = []

    /// What applies to an app without a dictionary. Source: Apple, NSAppTransportSecurity;
    /// docs/law/keys.md#when-it-applies.
    public static let secureDefaults = Declaration(source: nil, members: [], line: nil)

    private init(source: String?, members: [PropertyMember], line: Int?) {
        self.source = source
        self.members = members
        self.line = line
    }

    /// Finds the dictionary in a whole Info.plist, in a dictionary that holds `NSAppTransportSecurity`, in the bare
    /// dictionary itself, or in an Expo configuration. An Info.plist without one means the secure defaults.
    ///
    /// - Parameter source: the file, for messages and records.
    /// - Throws: when the root, or the value of `NSAppTransportSecurity`, is no dictionary. Everything deeper follows
    ///   Apple's parser: what has the wrong type does not count.
    public init(root: PropertyNode, source: String) throws(DeclarationError) {
        guard case .dictionary(let whole) = root.value else {
            throw DeclarationError(
                source: source, line: root.line, what: "the root must be a dictionary, but it is \(root.value.kind)")
        }
        self.init(source: source, members: [], line: root.line)
        let expo = ExpoConfiguration(whole)
        let top = expo?.infoPlist ?? whole
        bundleID = expo?.bundleID ?? top.text("CFBundleIdentifier")
        minimumOSVersionKey = ["MinimumOSVersion", "LSMinimumSystemVersion"].first { top.text($0) != nil }
        minimumOSVersion = minimumOSVersionKey.flatMap(top.text)
        platform = expo == nil ? Self.platform(top) : .ios
        platformVersion = top.text("DTPlatformVersion")
        linkedSDK = LinkedSDK(name: top.text("DTSDKName"), platform: platform, version: platformVersion)
        trustKitDomains = top.trustKitDomains
        if let outer = top.last(ATSKey.root) {
            guard case .dictionary(let inner) = outer.node.value else {
                throw DeclarationError(
                    source: source, keyPath: ATSKey.root, line: outer.node.line ?? outer.keyLine,
                    what: "\(ATSKey.root) must be a dictionary, but it is \(outer.node.value.kind)")
            }
            members = inner
            line = outer.keyLine
            strays = StrayKey.all(in: top)
        } else if expo != nil || top.looksLikeInfoPlist {
            strays = StrayKey.all(in: top)
            if expo != nil { notes = [ExpoConfiguration.silence] }
        } else if top.contains(where: { ATSKey.isMeantForATS($0.key) }) {
            members = top
        } else if !top.isEmpty {
            strays = [StrayKey(keyPath: ATSKey.root, line: root.line, kind: .nothing)]
        }
    }
}

extension Declaration {
    private static func platform(_ top: [PropertyMember]) -> OSRelease.Platform? {
        if let platform = top.text("DTPlatformName").flatMap({ OSRelease.Platform(sdk: $0) }) { return platform }
        let isMac = macKeys.contains { top.last($0) != nil } && !phoneKeys.contains { top.last($0) != nil }
        return isMac ? .macos : nil
    }
}

/// Keys that only lists of Macs have, and those that only others have. Source: Apple, Information Property List, the page
/// of each key.
private let macKeys = [
    "LSMinimumSystemVersion", "LSUIElement", "LSBackgroundOnly", "NSMainNibFile", "NSMainStoryboardFile",
]
private let phoneKeys = ["LSRequiresIPhoneOS", "MinimumOSVersion", "UIDeviceFamily", "UILaunchStoryboardName"]

extension ATSKey {
    /// Whether a key at the top of a file shows that the file is a bare ATS dictionary.
    static func isMeantForATS(_ key: String) -> Bool {
        global.contains(key) || exception.contains(key) || current(forLegacy: key) != nil
            || nearest(to: key, among: global) != nil
    }
}

extension [PropertyMember] {
    fileprivate var trustKitDomains: HostPatterns {
        guard case .dictionary(let settings)? = last("TSKConfiguration")?.node.value,
            case .dictionary(let domains)? = settings.last("TSKPinnedDomains")?.node.value
        else { return HostPatterns([]) }
        return HostPatterns(
            domains.flatMap { domain in
                guard case .dictionary(let terms) = domain.node.value,
                    case .boolean(true)? = terms.last("TSKIncludeSubdomains")?.node.value
                else { return [domain.key] }
                return [domain.key, "*.\(domain.key)"]
            })
    }

    /// The value of a key, when it is a string.
    func text(_ key: String) -> String? {
        if case .string(let text)? = last(key)?.node.value { return text }
        return nil
    }

    /// Keys that only an Info.plist has at its top.
    var looksLikeInfoPlist: Bool {
        let beginnings = ["CFBundle", "UI", "LS", "DT", "MinimumOSVersion", "BuildMachineOSBuild"]
        return contains { member in beginnings.contains(where: member.key.hasPrefix) }
    }
}
