/// A guess at the release of a client or app, for `--os auto`.
public struct OSGuess: Sendable, Hashable {
    public let profile: OSProfile
    /// The text that it was read from, for example `Darwin 23.5`.
    public let evidence: String
    /// Reasons for doubt, as sentences.
    public let notes: [String]
    /// True if every later release sends the same text.
    public fileprivate(set) var isLowerBound = false
}

extension OSProfile {
    /// Guesses the release from a User-Agent: from URLSession's kernel and CFNetwork versions, or from AVFoundation's
    /// version. Source: matomo-org/device-detector, ua-parser/uap-core; docs/law/loaders.md#user-agent,
    /// docs/law/profiles.md#darwin.
    ///
    /// - Returns: nil if the text identifies no release. The text is untrusted.
    public static func guess(userAgent: String) -> OSGuess? {
        guard userAgent.utf8.count <= OSGuess.longestAgentBytes else { return nil }
        if userAgent.hasPrefix("AppleCoreMedia/") { return .guess(coreMedia: userAgent) }
        if userAgent.hasPrefix("Mozilla/") { return .guess(webKit: userAgent) }
        let kernel = OSGuess.version(after: "Darwin/", in: userAgent)
        let network = OSGuess.version(after: "CFNetwork/", in: userAgent)
        let isMac = network.map { DarwinTable.macOnlyCFNetwork.contains($0.major) } ?? false
        let expected = isMac ? nil : network.flatMap(DarwinTable.kernel(ofCFNetwork:))
        if let kernel, let expected, expected.major != kernel.major, let guess = OSGuess.ofSimulator(kernel, expected) {
            return guess
        }
        guard let kernel = kernel ?? expected else { return nil }
        return .guess(kernel: kernel, isMac: isMac || userAgent.contains("(x86_64)"))
    }

    /// Guesses the release that an app is made for: `MinimumOSVersion` (or `LSMinimumSystemVersion`), otherwise
    /// `DTPlatformVersion`, the version of its SDK.
    ///
    /// - Returns: nil if it has neither, or versions that no release with ATS had.
    public static func guess(declaration: Declaration) -> OSGuess? {
        let places = [
            (key: declaration.minimumOSVersionKey ?? "MinimumOSVersion", text: declaration.minimumOSVersion),
            (key: "DTPlatformVersion", text: declaration.platformVersion),
        ]
        for (key, text) in places {
            guard let text, let version = OSVersion(text),
                let release = release(version, platform: declaration.platform)
            else { continue }
            var notes: [String] = []
            if key != "DTPlatformVersion", let sdk = declaration.platformVersion {
                notes.append("The app also runs on newer releases; it was built with the SDK of \(sdk).")
            }
            return OSGuess(profile: OSProfile(release), evidence: "\(key) \(text)", notes: notes)
        }
        return nil
    }

    /// 10.11 to 10.15 existed only for Macs; other numbers without a platform are assumed to be iOS.
    private static func release(_ version: OSVersion, platform: OSRelease.Platform?) -> OSRelease? {
        if let platform { return OSRelease(platform, version) }
        return OSRelease(version.major == 10 && version.minor >= 11 ? .macos : .ios, version)
    }
}

extension OSGuess {
    fileprivate static func guess(kernel: OSVersion, isMac: Bool) -> OSGuess? {
        let evidence = "Darwin \(kernel)"
        guard kernel.major <= newestKernel else {
            return OSGuess(
                profile: isMac ? .macOS27 : .newest, evidence: evidence,
                notes: [
                    "That kernel is newer than every known release; the newest one is used (\(DocsSection.darwin))."
                ])
        }
        let version = isMac ? DarwinTable.macos(kernel) : DarwinTable.ios(kernel)
        guard let release = version.flatMap({ OSRelease(isMac ? .macos : .ios, $0) }) else { return nil }
        let mac = DarwinTable.macos(kernel).map { ", or a Mac with macOS \($0)" } ?? ""
        return OSGuess(
            profile: OSProfile(release), evidence: evidence,
            notes: isMac
                ? ["An iOS simulator on such a Mac reports the same kernel (\(DocsSection.darwin))."]
                : ["It may also be a simulator, which reports the kernel of its host\(mac) (\(DocsSection.darwin))."])
    }

    /// A simulator has the CFNetwork of the simulated release and the kernel of its Mac (observed, inferred;
    /// docs/law/profiles.md#darwin).
    fileprivate static func ofSimulator(_ kernel: OSVersion, _ expected: OSVersion) -> OSGuess? {
        guard let release = DarwinTable.ios(expected).flatMap({ OSRelease(.ios, $0) }) else { return nil }
        let host = DarwinTable.macos(kernel).map { "macOS \($0)" } ?? "another system"
        return OSGuess(
            profile: OSProfile(release), evidence: "CFNetwork of Darwin \(expected)",
            notes: [
                "The kernel, Darwin \(kernel), is that of \(host), so this is probably a simulator "
                    + "(\(DocsSection.darwin), inferred)."
            ])
    }

    /// `AppleCoreMedia/1.0.0.21F79 (iPhone; U; CPU OS 17_5 like Mac OS X; en_us)` (docs/law/loaders.md#user-agent).
    fileprivate static func guess(coreMedia agent: String) -> OSGuess? {
        guard let version = underscoredVersion(after: "CPU OS ", in: agent) else { return nil }
        let platform: OSRelease.Platform = agent.contains("(Apple TV;") ? .tvos : .ios
        guard let release = OSRelease(platform, version) else { return nil }
        return OSGuess(profile: OSProfile(release), evidence: "CPU OS \(version)", notes: [])
    }

    /// `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 ...`, `CPU OS` on an iPad.
    ///
    /// Since 26 Safari always sends 18_6 or 18_7, and only its `Version/` follows the system's number; a web view has
    /// no `Version/`. On a Mac the number has long been fixed at 10_15_7, and one Safari runs on several releases, so
    /// neither identifies a release. Source: WebKit, "WebKit Features in Safari 26.0"; docs/law/loaders.md#user-agent.
    fileprivate static func guess(webKit agent: String) -> OSGuess? {
        guard
            let named = underscoredVersion(after: "CPU iPhone OS ", in: agent)
                ?? underscoredVersion(after: "CPU OS ", in: agent)
        else { return nil }
        if named.major == 18, named.minor >= 6 {
            if let safari = version(after: "Version/", in: agent), safari.major >= 26 {
                guard let release = OSRelease(.ios, safari) else { return nil }
                return OSGuess(profile: OSProfile(release), evidence: "Safari \(safari)", notes: [])
            }
            return OSRelease(.ios, named).map {
                var guess = OSGuess(
                    profile: OSProfile($0), evidence: "iPhone OS \(named)",
                    notes: ["WebKit sends the same version on every later release (\(DocsSection.userAgent))."])
                guess.isLowerBound = true
                return guess
            }
        }
        return OSRelease(.ios, named).map {
            OSGuess(profile: OSProfile($0), evidence: "iPhone OS \(named)", notes: [])
        }
    }

    /// Reads `17_5` as 17.5.
    private static func underscoredVersion(after mark: String, in agent: String) -> OSVersion? {
        let digits = agent.firstRange(after: mark)?.prefix { $0.isASCII && ($0.isNumber || $0 == "_") }
        return digits.flatMap { OSVersion($0.map { $0 == "_" ? "." : String($0) }.joined()) }
    }

    fileprivate static func version(after mark: String, in agent: String) -> OSVersion? {
        guard let rest = agent.firstRange(after: mark) else { return nil }
        let text = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        return OSVersion(text.split(separator: ".").prefix(3).joined(separator: "."))
    }

    /// Darwin 27 is iOS 27 and macOS 27 (docs/law/profiles.md#darwin).
    private static let newestKernel = 27
    /// Real User-Agents are far shorter.
    fileprivate static let longestAgentBytes = 1_024
}

extension String {
    /// Returns the text after the first occurrence of `mark`, without Foundation.
    fileprivate func firstRange(after mark: String) -> Substring? {
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(mark) { return rest.dropFirst(mark.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}

/// The release that a hello proves, for `--os auto`.
extension OSGuess {
    /// Returns the release closest to the client's that can have sent the hello.
    ///
    /// - Parameters:
    ///   - profile: the release by the User-Agent, or the usual one.
    ///   - earlier: the guess that named it; nil for none.
    /// - Returns: nil if `profile` sends such a hello, or if the hello shows no release.
    public init?(_ hello: HelloReading, against profile: OSProfile, _ earlier: OSGuess?) {
        guard hello.showsATS || hello.kind == .unknown else { return nil }
        let release = profile.release
        let evidence: String
        let bound: OSVersion
        if let first = hello.first, release.generation < first {
            (bound, evidence) = (first, "a hello of iOS \(first) or later")
        } else if let last = hello.last, release.generation > last, !last.isSameMinor(as: release.generation) {
            (bound, evidence) = (last, "a hello of iOS \(last) or earlier")
        } else {
            return nil
        }
        guard let found = OSRelease.closest(to: bound, on: release.platform) else { return nil }
        let contradicted =
            earlier.map {
                "Its User-Agent shows \($0.evidence), but that release sends another hello (docs/law/hellos.md#release)."
            }
            ?? "No User-Agent shows its release (docs/law/hellos.md#release)."
        self.init(profile: OSProfile(found), evidence: evidence, notes: [contradicted])
    }
}

extension OSVersion {
    fileprivate func isSameMinor(as other: OSVersion) -> Bool { major == other.major && minor == other.minor }
}

extension OSRelease {
    /// The release of a platform whose generation is closest to an iOS version, and the first of several.
    fileprivate static func closest(to generation: OSVersion, on platform: Platform) -> OSRelease? {
        let majors = platform == .macos ? Array(11...15) + Array(26...27) : Array(1...27)
        var numbers = majors.flatMap { major in (0...9).map { OSVersion(major, $0) } }
        if platform == .macos {
            numbers = (11...15).flatMap { minor in (0...6).map { OSVersion(10, minor, $0) } } + numbers
        }
        let releases = numbers.compactMap { OSRelease(platform, $0) }
        // The releases of 12.2 and 15.3 are bounds from both sides, so an exact match exists on most platforms.
        return releases.first { $0.generation == generation } ?? releases.first { $0.generation > generation }
            ?? releases.last
    }
}
