/// One root of Apple's trust stores: a key with a name, and the releases that have it.
///
/// Certificates with the same key and name are one root, because Apple exchanged some of them (GTS Root R1 to R4).
public struct AppleRoot: Sendable, Hashable {
    /// The releases of one platform that have the root.
    public enum Span: Sendable, Hashable {
        /// No release with ATS has it.
        case never
        case releases(since: Start, until: End)
    }

    public enum Start: Sendable, Hashable {
        /// The first releases with ATS have it.
        case beforeATS
        case version(OSVersion)
    }

    public enum End: Sendable, Hashable {
        /// The newest published store, that of 26.0, has it.
        case current
        /// The last store that has it, by the first release with that store, and the first release without it.
        case version(OSVersion, gone: OSVersion)
        /// The first release without it is not known: after the first of these, and not after the second.
        case between(OSVersion, OSVersion)
    }

    /// The common name, else the organizational unit or the organization.
    public let name: String
    /// The first characters of the key's SHA-256 in Base64, see ``keyDigits``.
    public let key: String
    /// The first digits of the SHA-256 of its certificates, in lower-case hexadecimal.
    public let certificates: [String]
    /// For iOS, and for the systems that share its numbers.
    public let ios: Span
    public let macos: Span
    /// The certainty of the first and the last iOS release; those of macOS are from the source. nil for a root that no
    /// iOS release has.
    public let confidence: (since: Confidence, until: Confidence)?
    /// False for a root that Apple's own constraints exclude from TLS servers.
    public let servesTLS: Bool

    /// Characters of ``key``: 132 bits.
    public static let keyDigits = 22

    public static func == (left: AppleRoot, right: AppleRoot) -> Bool {
        left.key == right.key && left.name == right.name && left.ios == right.ios && left.macos == right.macos
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(name)
    }
}

extension AppleRoot {
    /// The relation of a root to one release.
    public enum Membership: Sendable, Hashable {
        case present
        /// The release has an older store. A later one, if any, has the root.
        case absent
        /// An earlier release had it.
        case removed
        /// The published data do not decide.
        case unknown
    }

    /// The releases that count for a platform.
    public func span(on platform: OSRelease.Platform) -> Span { platform == .macos ? macos : ios }

    public func membership(on release: OSRelease) -> Membership {
        guard case .releases(let start, let end) = span(on: release.platform) else { return .absent }
        let version = Self.storeVersion(of: release)
        if case .version(let first) = start, version < first { return .absent }
        switch end {
        case .current: return .present
        case .version(_, let gone): return version < gone ? .present : .removed
        case .between(let last, let gone):
            if version <= last { return .present }
            return version < gone ? .unknown : .removed
        }
    }

    /// The release by whose store a release is judged: its own for macOS, else that of iOS. visionOS 1.1 to 1.3 have the
    /// stores of iOS 17.4 to 17.6 (Apple support 121728, documented for 1.1; the others are inferred).
    private static func storeVersion(of release: OSRelease) -> OSVersion {
        switch release.platform {
        case .macos: release.version
        case .visionos where release.version.major == 1: OSVersion(17, release.version.minor + 3)
        case .ios, .ipados, .tvos, .watchos, .visionos: release.generation
        }
    }

    /// The certainty of what ``membership(on:)`` returns.
    public func confidence(on release: OSRelease) -> Confidence {
        guard release.platform != .macos, let confidence else { return .source }
        return membership(on: release) == .removed ? confidence.until : confidence.since
    }

    /// For example `since iOS 17.4 and macOS 14.4`, or `up to iOS 15.3 and macOS 12.2`.
    public var words: String {
        let parts = [Self.words(ios, "iOS"), Self.words(macos, "macOS")]
        guard parts[0].kind != parts[1].kind else {
            let versions = [parts[0].versions, parts[1].versions].filter { !$0.isEmpty }
            return ([parts[0].kind] + [versions.joined(separator: " and ")]).filter { !$0.isEmpty }.joined(
                separator: " ")
        }
        return parts.map { [$0.kind, $0.versions].filter { !$0.isEmpty }.joined(separator: " ") }.joined(
            separator: ", ")
    }

    /// The same for one platform.
    public func words(on platform: OSRelease.Platform) -> String {
        let words = Self.words(span(on: platform), platform == .macos ? "macOS" : "iOS")
        return [words.kind, words.versions].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func words(_ span: Span, _ system: String) -> (kind: String, versions: String) {
        switch span {
        case .never: ("in no store since iOS 9 and OS X 10.11", "")
        case .releases(.beforeATS, .current): ("since before iOS 9 and OS X 10.11", "")
        case .releases(.version(let first), .current): ("since", "\(system) \(first)")
        case .releases(.beforeATS, let end): ("up to", "\(system) \(words(end))")
        case .releases(.version(let first), let end): ("from", "\(system) \(first) to \(words(end))")
        }
    }

    private static func words(_ end: End) -> String {
        switch end {
        case .current: "the newest"
        case .version(let last, _): "\(last)"
        case .between(let last, let gone): "\(last), or a later release before \(gone)"
        }
    }
}
