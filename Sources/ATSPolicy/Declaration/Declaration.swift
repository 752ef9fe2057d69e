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

/// Variants of a dictionary with other exceptions, to judge what would happen if the app shipped them.
extension Declaration {
    /// Returns the dictionary with a fix added, in the existing entry of its domain if there is one.
    public func adding(_ fix: ExceptionFix) -> Declaration {
        changingEntries { entries in
            var keys = entries.keys(of: fix.domain) ?? []
            for setting in fix.settings { keys.set(setting.key, to: setting.value.node) }
            entries.set(fix.domain, to: PropertyNode(.dictionary(keys)))
        }
    }

    /// Returns a fix of an entry that covers a host through its subdomains or its range, as an entry of the host's own.
    ///
    /// That entry has the settings of the other one, because it replaces it for the host. So no other host is relaxed.
    public func narrowed(_ fix: ExceptionFix, to target: LoadTarget) -> ExceptionFix {
        let own = target.address?.description ?? target.host
        guard fix.domain != own, let keys = entries.keys(of: fix.domain) else { return fix }
        let kept = keys.compactMap(ExceptionFix.Setting.init).filter { setting in
            setting.key != ATSKey.includesSubdomains && !fix.settings.contains { $0.key == setting.key }
        }
        return ExceptionFix(domain: own, settings: kept + fix.settings)
    }

    /// Returns the dictionary without an entry of `NSExceptionDomains`.
    public func removing(entry: String) -> Declaration {
        changingEntries { $0.removeAll { $0.key == entry } }
    }

    /// Returns the dictionary without a key of an entry.
    public func removing(_ key: String, ofEntry entry: String) -> Declaration {
        changingEntries { entries in
            guard var keys = entries.keys(of: entry) else { return }
            keys.removeAll { $0.key == key }
            entries.set(entry, to: PropertyNode(.dictionary(keys), line: entries.last(entry)?.node.line))
        }
    }

    /// Returns the dictionary without the entries and pins that cannot match a host. Every judge rules on the host's
    /// loads as it would with the whole dictionary, but is built without a walk over a hundred thousand entries.
    public func narrowed(to target: LoadTarget) -> Declaration {
        let host = target.host
        let address = target.address
        var names = Set([host, String(HostGrammar.withoutTrailingDot(host[...]))])
        if let address { names.insert(address.description) }
        for name in names { names.formUnion(HostGrammar.parents(of: name[...]).map(String.init)) }
        return with(
            members.map { member in
                guard case .dictionary(let entries) = member.node.value else { return member }
                var member = member
                switch member.key {
                case ATSKey.exceptionDomains:
                    member.node.value = .dictionary(
                        entries.filter {
                            names.contains($0.key) || address != nil && $0.key.utf8.contains(UInt8(ascii: "/"))
                        })
                case ATSKey.pinnedDomains:
                    member.node.value = .dictionary(entries.filter { names.contains($0.key.lowercased()) })
                default: break
                }
                return member
            })
    }

    /// Returns the dictionary with its members replaced.
    public func with(_ members: [PropertyMember]) -> Declaration {
        var changed = self
        changed.members = members
        return changed
    }

    /// The members of `NSExceptionDomains`, in the order of the file.
    public var entries: [PropertyMember] { members.keys(of: ATSKey.exceptionDomains) ?? [] }

    private func changingEntries(_ change: (inout [PropertyMember]) -> Void) -> Declaration {
        var entries = entries
        change(&entries)
        var changed = self
        if entries.isEmpty {
            changed.members.removeAll { $0.key == ATSKey.exceptionDomains }
        } else {
            changed.members.set(ATSKey.exceptionDomains, to: PropertyNode(.dictionary(entries)))
        }
        return changed
    }
}

extension [PropertyMember] {
    /// Returns the members of a dictionary; nil if there is none with that key.
    public func keys(of key: String) -> [PropertyMember]? {
        if case .dictionary(let members)? = last(key)?.node.value { return members }
        return nil
    }

    /// Replaces a value, or appends it.
    fileprivate mutating func set(_ key: String, to node: PropertyNode) {
        guard let index = lastIndex(where: { $0.key == key }) else {
            return append(PropertyMember(key: key, node: node))
        }
        self[index].node = node
    }
}

extension ExceptionFix.Value {
    /// The value as a property list node.
    public var node: PropertyNode {
        switch self {
        case .flag(let flag): PropertyNode(.boolean(flag))
        case .text(let text): PropertyNode(.string(text))
        }
    }
}

extension ExceptionFix.Setting {
    /// The setting that a member of an entry makes; nil for a value that is neither a Boolean nor a text.
    fileprivate init?(_ member: PropertyMember) {
        switch member.node.value {
        case .boolean(let flag): self.init(member.key, .flag(flag))
        case .string(let text): self.init(member.key, .text(text))
        case .integer(let number) where number == 0 || number == 1: self.init(member.key, .flag(number == 1))
        case .integer, .real, .data, .date, .array, .dictionary: return nil
        }
    }
}

extension Declaration {
    /// Returns the line of a key in the file, counted from 1; nil if the file does not contain the key, or if its
    /// format has no lines.
    ///
    /// - Parameter keyPath: from `NSAppTransportSecurity`, as in ``RulingBasis/keyPath``. Dots within the key of an
    ///   entry need no escape: the entry is found by its name.
    public func line(of keyPath: String) -> Int? {
        guard keyPath.hasPrefix(ATSKey.root + ".") else { return nil }
        return members.line(of: keyPath.dropFirst(ATSKey.root.utf8.count + 1))
    }
}

extension [PropertyMember] {
    fileprivate func line(of path: Substring) -> Int? {
        if let member = last(String(path)) { return member.keyLine }
        // Compares in place: joining each key with a dot would be slow with many entries, and each new connection runs
        // this.
        for member in self where path.hasPrefix(member.key) {
            let rest = path.dropFirst(member.key.count)
            guard rest.first == ".", case .dictionary(let inner) = member.node.value else { continue }
            if let line = inner.line(of: rest.dropFirst()) { return line }
        }
        return nil
    }
}

/// The place of an Info.plist's keys in the file of another tool, such as the configuration of a project.
public struct DeclarationPlace: Sendable, Hashable {
    /// The file, for sentences: `Expo configuration`.
    public var file: String
    /// Key path of the Info.plist's keys in the file: `expo.ios.infoPlist`.
    public var keyPath: String
    /// The identifier of the app, which such files keep elsewhere.
    public var bundleID: String?
    /// The platform of the app; nil if the keys or nothing names it.
    public var platform: OSRelease.Platform?

    public init(file: String, keyPath: String, bundleID: String? = nil, platform: OSRelease.Platform? = nil) {
        self.file = file
        self.keyPath = keyPath
        self.bundleID = bundleID
        self.platform = platform
    }

    /// The place of the keys in an Info.plist itself.
    static let infoPlist = DeclarationPlace(file: "Info.plist", keyPath: "")

    /// The sentence for a place without `NSAppTransportSecurity`.
    var absence: String {
        let place = keyPath.isEmpty ? "The \(file)" : "\(keyPath) of the \(file)"
        return "\(place) does not set NSAppTransportSecurity, so the secure defaults of ATS apply."
    }
}

/// The reason why a policy file could not be read. Commands exit with code 65.
public struct DeclarationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file; `ARCHIVE!ENTRY` inside an archive, `-` for standard input.
    public var source: String
    /// Key path of the invalid value, if there is one.
    public var keyPath: String?
    /// Counted from 1.
    public var line: Int?
    /// The problem, as a sentence without a full stop.
    public var what: String

    public init(source: String, keyPath: String? = nil, line: Int? = nil, what: String) {
        self.source = source
        self.keyPath = keyPath
        self.line = line
        self.what = what
    }

    /// `FILE:LINE: KEYPATH: PROBLEM` without unknown parts. Safe to print on a terminal, regardless of the file's
    /// content.
    public var description: String {
        let place = line.map { "\(source):\($0)" } ?? source
        return [place, keyPath, what].compactMap { $0 }.joined(separator: ": ").printable
    }
}
