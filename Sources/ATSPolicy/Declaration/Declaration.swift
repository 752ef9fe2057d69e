public import Text

/// An app's App Transport Security dictionary, as found in a file. Values stay raw, because their meaning depends on
/// the release; see ``interpreted(for:)``.
public struct Declaration: Sendable, Hashable {
    /// The file that it was read from; nil for the secure defaults.
    public var source: String?
    /// `CFBundleIdentifier` of the surrounding Info.plist.
    public var bundleID: String?
    /// `MinimumOSVersion` or `LSMinimumSystemVersion`.
    public var minimumOSVersion: String?
    /// The name of the key that contained ``minimumOSVersion``.
    public var minimumOSVersionKey: String?
    /// From `DTPlatformName`, or from a key that only Macs have; nil if neither is present.
    public var platform: OSRelease.Platform?
    /// `DTPlatformVersion`: the SDK's version, for example `26.0`.
    public var platformVersion: String?
    /// The SDK that the app was linked with; nil if the file does not name it.
    public var linkedSDK: LinkedSDK?
    /// Contents of `NSAppTransportSecurity`, in the order of the file; empty for the secure defaults.
    public var members: [PropertyMember]
    /// Line of `NSAppTransportSecurity`, or of the bare dictionary.
    public var line: Int?
    /// Hosts that the app's own code pins with TrustKit, according to the Info.plist. Source: TrustKit, "Getting
    /// Started": TSKConfiguration, TSKPinnedDomains, TSKIncludeSubdomains.
    public var trustKitDomains = HostPatterns([])
    /// The place of the keys in the file; nil for a bare dictionary and for the secure defaults.
    public var place: DeclarationPlace?
    /// True if ``place`` does not contain `NSAppTransportSecurity`, so that the secure defaults apply.
    public var isUnset = false
    /// ATS keys outside of the dictionary, which have no effect.
    public var strays: [StrayKey] = []
    /// Remarks on the source, for example about extensions found next to the app.
    public var notes: [String] = []

    /// The rules for an app without a dictionary. Source: Apple, NSAppTransportSecurity;
    /// docs/law/keys.md#when-it-applies.
    public static let secureDefaults = Declaration(source: nil, members: [], line: nil)

    private init(source: String?, members: [PropertyMember], line: Int?) {
        self.source = source
        self.members = members
        self.line = line
    }

    /// Finds the dictionary in a whole Info.plist, in a dictionary that contains `NSAppTransportSecurity`, or takes the
    /// bare dictionary itself, or the entries of its `NSExceptionDomains`. An Info.plist without one means the secure
    /// defaults.
    ///
    /// - Parameters:
    ///   - source: the file, for messages and records.
    ///   - isDocument: true for a complete property list, in which a bare dictionary may be a mistake.
    /// - Throws: if the root, or the value of `NSAppTransportSecurity`, is not a dictionary. Deeper values follow
    ///   Apple's parser: a value of the wrong type is ignored.
    public init(root: PropertyNode, source: String, isDocument: Bool = false) throws(DeclarationError) {
        guard case .dictionary(let top) = root.value else {
            throw DeclarationError(
                source: source, line: root.line, what: "the root must be a dictionary, but it is \(root.value.kind)")
        }
        if top.last(ATSKey.root) != nil || top.looksLikeInfoPlist {
            try self.init(infoPlist: top, at: .infoPlist, line: root.line, source: source)
            return
        }
        self.init(source: source, members: [], line: root.line)
        if let bare = top.first(where: { ATSKey.isMeantForATS($0.key) }) {
            members = top
            if isDocument {
                strays = [StrayKey(keyPath: bare.key, line: bare.keyLine, kind: .bare)]
            }
        } else if top.looksLikeEntries {
            members = [PropertyMember(key: ATSKey.exceptionDomains, keyLine: root.line, node: root)]
            notes = ["The file contains only entries, which are read as those of \(ATSKey.exceptionDomains)."]
        } else if !top.isEmpty {
            strays = [StrayKey(keyPath: ATSKey.root, line: root.line, kind: .nothing)]
        }
    }

    /// Reads the keys of an Info.plist.
    ///
    /// - Parameters:
    ///   - top: the members of the Info.plist, or of its part in the file of another tool.
    ///   - line: of the part, or of the whole list.
    /// - Throws: if the value of `NSAppTransportSecurity` is not a dictionary.
    public init(
        infoPlist top: [PropertyMember], at place: DeclarationPlace, line: Int?, source: String
    ) throws(DeclarationError) {
        self.init(source: source, members: [], line: line)
        self.place = place
        bundleID = place.bundleID ?? top.text("CFBundleIdentifier")
        minimumOSVersionKey = ["MinimumOSVersion", "LSMinimumSystemVersion"].first { top.text($0) != nil }
        minimumOSVersion = minimumOSVersionKey.flatMap(top.text)
        platform = place.platform ?? Self.platform(top)
        platformVersion = top.text("DTPlatformVersion")
        linkedSDK = LinkedSDK(name: top.text("DTSDKName"), platform: platform, version: platformVersion)
        trustKitDomains = top.trustKitDomains
        strays = StrayKey.all(in: top)
        guard let outer = top.last(ATSKey.root) else {
            isUnset = true
            notes = [place.absence]
            return
        }
        guard case .dictionary(let inner) = outer.node.value else {
            throw DeclarationError(
                source: source, keyPath: ATSKey.root, line: outer.node.line ?? outer.keyLine,
                what: "\(ATSKey.root) must be a dictionary, but it is \(outer.node.value.kind)")
        }
        members = inner
        self.line = outer.keyLine
    }
}

extension Declaration {
    private static func platform(_ top: [PropertyMember]) -> OSRelease.Platform? {
        if let platform = top.text("DTPlatformName").flatMap({ OSRelease.Platform(sdk: $0) }) { return platform }
        let isMac = macKeys.contains { top.last($0) != nil } && !phoneKeys.contains { top.last($0) != nil }
        return isMac ? .macos : nil
    }
}

/// Keys that only Info.plist files of Macs have, and keys that only others have. Source: Apple, Information Property
/// List, the page of each key.
private let macKeys = [
    "LSMinimumSystemVersion", "LSUIElement", "LSBackgroundOnly", "NSMainNibFile", "NSMainStoryboardFile",
]
private let phoneKeys = ["LSRequiresIPhoneOS", "MinimumOSVersion", "UIDeviceFamily", "UILaunchStoryboardName"]

extension ATSKey {
    /// True if a key at the top of a file shows that the file is a bare ATS dictionary.
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

    /// Returns the value of a key if it is a string.
    func text(_ key: String) -> String? {
        if case .string(let text)? = last(key)?.node.value { return text }
        return nil
    }

    /// True if all members are dictionaries with keys of an exception entry: copied entries of NSExceptionDomains.
    var looksLikeEntries: Bool {
        !isEmpty
            && allSatisfy { member in
                guard case .dictionary(let values) = member.node.value else { return false }
                return values.contains {
                    ATSKey.exception.contains($0.key) || ATSKey.current(forLegacy: $0.key) != nil
                }
            }
    }

    /// True if a key at the top occurs only in an Info.plist.
    var looksLikeInfoPlist: Bool {
        let beginnings = ["CFBundle", "UI", "LS", "DT", "MinimumOSVersion", "BuildMachineOSBuild"]
        return contains { member in beginnings.contains(where: member.key.hasPrefix) }
    }
}
