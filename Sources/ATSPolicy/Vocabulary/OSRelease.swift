import Text

/// A release of one of Apple's systems, and its equivalent iOS release.
public struct OSRelease: Sendable, Hashable {
    public enum Platform: String, Sendable, Hashable, CaseIterable {
        case ios, ipados, tvos, watchos, visionos, macos

        /// The platform's name as Apple writes it.
        public var title: String {
            switch self {
            case .ios: "iOS"
            case .ipados: "iPadOS"
            case .tvos: "tvOS"
            case .watchos: "watchOS"
            case .visionos: "visionOS"
            case .macos: "macOS"
            }
        }
    }

    public let platform: Platform
    public let version: OSVersion
    /// The iOS release with the same behaviour; all facts are keyed by it. Source: Security, SecProtocolConfiguration.m
    /// over its tags; matomo-org/device-detector, ua-parser/uap-core; docs/law/profiles.md#two-engines,
    /// docs/law/profiles.md#releases, docs/law/profiles.md#darwin.
    public let generation: OSVersion

    /// - Returns: nil for a release that does not exist or is older than ATS.
    public init?(_ platform: Platform, _ version: OSVersion) {
        guard let generation = Self.generation(of: platform, version) else { return nil }
        self.platform = platform
        self.version = version
        self.generation = generation
    }

    /// Reads `ios18.4`, `macos10.14.4`, `visionos1` and so on, in any case.
    public init?(name: String) {
        let text = name.lowercased()
        guard let platform = Platform.allCases.first(where: { text.hasPrefix($0.rawValue) }),
            let version = OSVersion(text.dropFirst(platform.rawValue.utf8.count))
        else { return nil }
        self.init(platform, version)
    }

    /// The name that `--os` accepts: `ios26`, `macos15.4`.
    public var name: String { platform.rawValue + version.description }

    /// For messages: `iOS 26`.
    public var title: String { "\(platform.title) \(version)" }

    private static func generation(of platform: Platform, _ version: OSVersion) -> OSVersion? {
        guard version.minor <= newestMinor(platform, version), version.patch <= newestPatch else { return nil }
        let major = version.major
        switch platform {
        case .ios, .tvos: return 9...18 ~= major || sameYear ~= major ? version : nil
        case .ipados: return 13...18 ~= major || sameYear ~= major ? version : nil
        case .macos: return macGeneration(version)
        case .watchos: return watchGeneration(version)
        // visionOS 1.0 behaves like iOS 17 (its availability is documented, the rest inferred;
        // docs/law/profiles.md#releases); 2.n was released with 18.n.
        case .visionos:
            if sameYear ~= major { return version }
            return 1...2 ~= major ? OSVersion(major + 16, version.minor) : nil
        }
    }

    /// Returns the iOS release with the same kernel (observed; docs/law/profiles.md#darwin). Minor numbers differ
    /// before macOS 14. Two facts depend on them: TLS 1.3 in 10.14.4 = iOS 12.2 (docs/law/tls.md#versions), and the
    /// suites of 12.3 = iOS 15.4 (docs/law/tls.md#suites).
    private static func macGeneration(_ version: OSVersion) -> OSVersion? {
        switch (version.major, version.minor) {
        case (10, 14): OSVersion(12, version.patch >= 4 ? version.patch - 2 : min(version.patch, 1))
        case (10, 11...15): OSVersion(version.minor - 2, version.patch)
        case (11, _): OSVersion(14, version.minor + 2)
        case (12, _), (13, _): OSVersion(version.major + 3, version.minor + 1)
        case (14, _), (15, _): OSVersion(version.major + 3, version.minor)
        case (sameYear, _): version
        default: nil
        }
    }

    /// No source documents this; by release dates, 8.5 matches iOS 15.4 (inferred).
    private static func watchGeneration(_ version: OSVersion) -> OSVersion? {
        switch version.major {
        case 8: OSVersion(15, max(0, version.minor - 1))
        case 2...11: OSVersion(version.major + 7, version.minor)
        case sameYear: version
        default: nil
        }
    }

    private static func newestMinor(_ platform: Platform, _ version: OSVersion) -> Int {
        platform == .macos && version.major == 10 ? 15 : 9
    }

    private static let newestPatch = 9
    /// Since 26, all systems are numbered by the year after their release. Source: Apple, iOS 27 release notes;
    /// docs/law/profiles.md#releases.
    private static let sameYear = 26...27
}

/// A version number of a system, for example 18.4.1.
public struct OSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let major: Int
    public let minor: Int
    public let patch: Int

    public init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Reads one to three numbers with dots between them, as in `26.0`.
    ///
    /// - Returns: nil for anything else, and for numbers of more than four digits.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard 1...3 ~= parts.count else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard 1...Self.mostDigits ~= part.utf8.count, part.utf8.allSatisfy({ $0.decimalDigit != nil }),
                let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    /// The shortest form: `26`, `18.4`, `10.14.4`.
    public var description: String {
        if patch > 0 { return "\(major).\(minor).\(patch)" }
        return minor > 0 ? "\(major).\(minor)" : "\(major)"
    }

    public static func < (left: OSVersion, right: OSVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    private static let mostDigits = 4
}
