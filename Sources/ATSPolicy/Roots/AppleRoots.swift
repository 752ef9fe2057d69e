/// The roots of Apple's trust stores by release.
///
/// Membership shows only that a release lacks a root. It never makes a chain trusted that the gate's own store does not
/// trust.
public struct AppleRoots: Sendable {
    private final class Table: Sendable {
        let rows: [AppleRoot]
        let byKey: [Substring: [Int]]

        init(_ rows: [AppleRoot]) {
            self.rows = rows
            byKey = Dictionary(grouping: rows.indices) { Substring(rows[$0].key) }
        }
    }

    private let table: Table

    public init(_ rows: [AppleRoot]) { table = Table(rows) }

    public var rows: [AppleRoot] { table.rows }

    /// The root with a certificate's key and name; nil if the table has none. A certificate without a common name is
    /// recognized by its key.
    public func root(of certificate: CertificateFacts) -> AppleRoot? {
        guard let places = table.byKey[certificate.spkiSHA256.prefix(AppleRoot.keyDigits)] else { return nil }
        let place = places.first { certificate.commonName == nil || rows[$0].name == certificate.commonName }
        return place.map { rows[$0] }
    }

    /// The roots with a key.
    ///
    /// - Parameter hash: Base64 of the SHA-256 of the SubjectPublicKeyInfo.
    public func roots(withKey hash: String) -> [AppleRoot] {
        (table.byKey[hash.prefix(AppleRoot.keyDigits)] ?? []).map { rows[$0] }
    }

    /// The roots with a common name, in any letter case.
    public func roots(named name: String) -> [AppleRoot] {
        let wanted = name.lowercased()
        return rows.filter { $0.name.lowercased() == wanted }
    }

    /// The roots with a certificate.
    ///
    /// - Parameter fingerprint: the SHA-256 in lower-case hexadecimal.
    public func roots(withCertificate fingerprint: String) -> [AppleRoot] {
        rows.filter { $0.certificates.contains { fingerprint.hasPrefix($0) } }
    }
}

extension AppleRoots: Hashable {
    /// True for the same table.
    public static func == (left: AppleRoots, right: AppleRoots) -> Bool { left.table === right.table }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(table)) }
}

extension AppleRoots {
    /// The published stores up to 26.0, the newest that Apple has published.
    ///
    /// Each row has the key, the iOS and the macOS releases (`FIRST:LAST<GONE`; empty before the colon for a root
    /// older than ATS, empty after it for one in the newest store, `~` if the last one is not known exactly, `-` for
    /// neither), the certainty of both iOS releases,
    /// the certificates, and the name. Source: the folders `certificates/roots` of 95 tags of
    /// apple-oss-distributions/security_certificates up to 55349.0.11, the macOS release of each from
    /// apple-oss-distributions/distribution-macOS, the iOS release from Apple support 103272 and its pages for each
    /// release (documented), else by dates (inferred); docs/law/trust.md#roots-by-release.
    public static let published = AppleRoots(
        [CurrentRootRows.text, RetiredRootRows.text, AbsentRootRows.earlier, AbsentRootRows.never].flatMap {
            $0.split(separator: "\n").compactMap { AppleRoot(row: $0) }
        })
}

extension AppleRoot {
    /// Reads a row of a table, see ``AppleRoots/published``.
    ///
    /// - Parameter key: replaces the key of the row.
    /// - Returns: nil for any other text.
    public init?(row: some StringProtocol, key: String? = nil) {
        let parts: [Substring] = Substring(row).split(separator: " ", maxSplits: 5)
        guard parts.count == 6, let ios = Span(row: parts[1]), let macos = Span(row: parts[2]) else { return nil }
        let grades = parts[3].map { Self.grade($0) }
        self.ios = ios
        self.macos = macos
        self.key = String((key ?? String(parts[0])).prefix(Self.keyDigits))
        certificates = parts[4].split(separator: ",").map(String.init)
        name = String(parts[5])
        servesTLS = !parts[3].hasSuffix("!")
        confidence = grades.count < 2 ? nil : grades[0].flatMap { since in grades[1].map { (since, $0) } }
    }

    private static func grade(_ letter: Character) -> Confidence? {
        switch letter {
        case "D": .documented
        case "O": .observed
        case "I": .inferred
        default: nil
        }
    }
}

extension AppleRoot.Span {
    fileprivate init?(row text: some StringProtocol) {
        if text == "-" {
            self = .never
            return
        }
        let parts: [Substring] = Substring(text).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var (start, end) = (AppleRoot.Start.beforeATS, AppleRoot.End.current)
        if !parts[0].isEmpty {
            guard let first = OSVersion(parts[0]) else { return nil }
            start = .version(first)
        }
        if !parts[1].isEmpty {
            let isKnown = !parts[1].contains("~")
            let versions = parts[1].split { $0 == "~" || $0 == "<" }.compactMap { OSVersion($0) }
            guard versions.count == 2 else { return nil }
            end = isKnown ? .version(versions[0], gone: versions[1]) : .between(versions[0], versions[1])
        }
        self = .releases(since: start, until: end)
    }
}

extension AppleRoots {
    /// Returns a profile with these trust stores instead of the published ones.
    public func replacing(in profile: OSProfile) -> OSProfile {
        var changed = profile
        changed.roots = self
        return changed
    }
}

extension OSRelease {
    /// True if a store can be newer than the release, because it arrived over the air: iOS 18, macOS 15, visionOS 2 and
    /// later. Source: Security 61439.1.1, OTATrustUtilities.m, which reads a store from an asset (source);
    /// docs/law/trust.md#roots-by-release.
    var getsRootsOverTheAir: Bool { generation >= OSVersion(18) }
}

extension AppleRoot {
    /// The end of a sentence on a root that the gate's machine lacks; nil if the release lacks it, too.
    func hint(on profile: OSProfile) -> String? {
        guard membership(on: profile.release) == .present else { return nil }
        let system = profile.release.platform == .macos ? profile.release.platform : .ios
        return ". A root of that name is in Apple's store \(words(on: system)): get it from the CA and add it with "
            + "--roots FILE"
    }
}

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
