extension OSProfile {
    /// iOS 9, where ATS began.
    public static let iOS9 = OSProfile(.ios, 9)
    /// iOS 10: the sibling keys, and local hosts exempt by default. Represents 10 to 16.
    public static let iOS10 = OSProfile(.ios, 10)
    /// iOS 17: ATS applies to addresses, which may be entries. Represents 17 to 18.3.
    public static let iOS17 = OSProfile(.ios, 17)
    /// iOS 18.4 to 18.x: the first release whose parser is published. Source: Security, SecProtocolConfiguration.m over
    /// its tags; docs/law/profiles.md#two-engines.
    public static let iOS18_4 = OSProfile(.ios, 18, 4)
    /// iOS 26: no TLS below 1.2, even if a dictionary allows it. Source: Apple, macOS 26 release notes;
    /// docs/law/tls.md#versions.
    public static let iOS26 = OSProfile(.ios, 26)
    /// iOS 26.4: adds the NIAP keys. Source: Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
    public static let iOS26_4 = OSProfile(.ios, 26, 4)
    /// iOS 27: assumed to have the rules of 26.4; its unified log has more lines. Source: Apple, iOS 27 release notes;
    /// docs/law/profiles.md#ios-27.
    public static let iOS27 = OSProfile(.ios, 27)

    /// The macOS release equivalent to ``iOS9``. Source for all of them: Security, SecProtocolConfiguration.m over its
    /// tags; docs/law/profiles.md#two-engines.
    public static let macOS10_11 = OSProfile(.macos, 10, 11)
    /// Equivalent to ``iOS10``; represents 10.12 to 13.
    public static let macOS10_12 = OSProfile(.macos, 10, 12)
    /// Equivalent to ``iOS17``; represents 14 to 15.3.
    public static let macOS14 = OSProfile(.macos, 14)
    /// Equivalent to ``iOS18_4``.
    public static let macOS15_4 = OSProfile(.macos, 15, 4)
    /// Equivalent to ``iOS26``.
    public static let macOS26 = OSProfile(.macos, 26)
    /// Equivalent to ``iOS26_4``.
    public static let macOS26_4 = OSProfile(.macos, 26, 4)
    /// Equivalent to ``iOS27``.
    public static let macOS27 = OSProfile(.macos, 27)

    /// The canonical profiles, oldest first, each followed by its macOS equivalent. `--os` also accepts other releases,
    /// see ``named(_:)``.
    public static let all = [
        iOS9, macOS10_11, iOS10, macOS10_12, iOS17, macOS14, iOS18_4, macOS15_4, iOS26, macOS26, iOS26_4, macOS26_4,
        iOS27, macOS27,
    ]

    /// The default of `--os`.
    public static let newest = iOS27

    /// Returns the profile of any release since iOS 9, with the properties of exactly that release: `ios16`,
    /// `macos15.5`, `ipados17.2`, `tvos12.2`, `watchos9`, `visionos1`.
    public static func named(_ name: String) -> OSProfile? {
        OSRelease(name: name).map(OSProfile.init)
    }

    /// Returns the release of a name, or of a title such as `iOS 17` or `macOS 15.5`.
    public static func titled(_ text: String) -> OSProfile? { named(text.filter { $0 != " " }) }

    /// Returns at most three canonical names similar to an unknown one, the nearest first.
    public static func names(near name: String) -> [String] {
        let wanted = name.lowercased()
        let isMac = wanted.hasPrefix("mac") || wanted.hasPrefix("os")
        let digits = wanted.drop { !$0.isNumber }.split(separator: ".").map { min(Int($0) ?? absurd, absurd) }
        let version = OSVersion(digits.first ?? absurd, digits.dropFirst().first ?? 0)
        let candidates = all.filter { ($0.release.platform == .macos) == isMac }
        let near = candidates.sorted { distance($0.release.version, version) < distance($1.release.version, version) }
        return near.prefix(nearNames).map(\.name)
    }

    private static func distance(_ left: OSVersion, _ right: OSVersion) -> Int {
        abs(left.major - right.major) * minorsPerMajor + abs(left.minor - right.minor)
    }

    private init(_ platform: OSRelease.Platform, _ major: Int, _ minor: Int = 0) {
        guard let release = OSRelease(platform, OSVersion(major, minor)) else {
            preconditionFailure("\(platform.rawValue) \(major).\(minor) is not a release")
        }
        self.init(release)
    }

    /// The number of names that a message suggests.
    private static let nearNames = 3
    /// Replaces numbers that cannot be read and numbers beyond every release.
    private static let absurd = 9_999
    /// More minor versions than any release had, so that a difference in the major number always weighs more.
    private static let minorsPerMajor = 100

    /// Looks up the properties of a release. Each line cites its section of the documentation.
    public init(_ release: OSRelease) {
        let generation = release.generation
        // docs/law/tls.md#versions (documented): on by default from 12.2.
        let newestTLS: TLSVersion = generation < OSVersion(12, 2) ? .tls12 : .tls13
        self.init(
            release: release,
            engine: generation < .published ? .classic : .modern,  // docs/law/profiles.md#two-engines
            localRule: Self.localRule(generation),
            keys: Self.keys(generation),
            tlsFloor: generation < OSVersion(26) ? .tls10 : .tls12,  // observed, documented; docs/law/tls.md#versions
            newestTLS: newestTLS,
            atsSuites: Self.atsSuites(generation, newestTLS: newestTLS),
            staticRSASuites: Self.staticRSASuites(generation),
            ownSystemSuites: Self.systemSuites(generation, newestTLS: newestTLS),
            helloShape: HelloShape(generation),
            // docs/law/keys.md#types-of-values
            countsOddBooleansAsFalse: .published..<OSVersion(18, 5) ~= generation,
            hasBuiltInExceptions: generation >= .published,  // source; docs/law/keys.md#built-in-exceptions
            dropsBuiltInExceptionsUnderNIAP: generation >= OSVersion(27),
            logGeneration: Self.logGeneration(generation))
    }

    /// Source: Apple, NSAllowsLocalNetworking; docs/law/addresses.md#by-release.
    private static func localRule(_ generation: OSVersion) -> LocalRule {
        switch generation {
        case ..<OSVersion(10): .none
        case ..<OSVersion(17): .namesAndAllAddresses
        case ..<OSVersion.published: .names
        default: .direct
        }
    }

    /// Source: Apple, NSAppTransportSecurity; Apple, NSExceptionDomains; Security, SecProtocolConfiguration.m;
    /// docs/law/keys.md, and docs/law/addresses.md for old spellings.
    private static func keys(_ generation: OSVersion) -> Keys {
        var keys: Keys = []
        if generation >= OSVersion(10) { keys.insert(.siblings) }
        // The current source ignores the key; since which release is not known (inferred).
        if OSVersion(10)..<OSVersion.published ~= generation { keys.insert(.certificateTransparency) }
        if generation >= OSVersion(14) { keys.insert(.pinnedDomains) }
        if generation >= OSVersion(17) { keys.insert(.addresses) }
        if generation >= OSVersion(26, 4) { keys.insert(.niap) }
        if generation < .published { keys.insert(.legacySpellings) }
        return keys
    }

    /// Source: public logs; docs/console-lines.md.
    private static func logGeneration(_ generation: OSVersion) -> LogGeneration {
        switch generation.major {
        case ...9: .ios9
        case 10: .ios10
        case 11: .ios11
        case 12: .ios12
        case 13...15: .ios13to15
        case 16...18: .ios16to18
        case 26: .ios26
        default: .ios27
        }
    }

    /// The release whose rules are assumed here because no source for this release is published; nil if there is one.
    /// Source: Apple, iOS 27 release notes, which list no change for apps; docs/law/profiles.md#ios-27.
    public var inheritedFrom: OSProfile? {
        release.generation < OSVersion(27) ? nil : release.platform == .macos ? .macOS26_4 : .iOS26_4
    }
}

extension OSVersion {
    /// The first release whose parser is published (docs/law/profiles.md#two-engines).
    fileprivate static let published = OSVersion(18, 4)
}
