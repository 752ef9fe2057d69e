public import ATSPolicy
import Text

/// The releases that trust a root: `explain "ISRG Root X1"`, or with the SHA-256 of a certificate or of a key.
public struct RootExplanation: Sendable {
    /// All roots with that name or hash. Several roots have the same name, and some have several certificates.
    public let roots: [AppleRoot]

    /// - Parameter text: a name with a blank, also a part of one; a SHA-256 in hexadecimal, with or without colons; or
    ///   the Base64 of a key's SHA-256, as in a pin.
    /// - Returns: nil for other text. The list is empty for a hash that the table lacks.
    public init?(_ text: String, in table: AppleRoots = .published) {
        let digits = text.lowercased().filter { $0 != ":" && $0 != " " }
        if digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) {
            roots = table.roots(withCertificate: digits)
            return
        }
        if Base64Length.bytes(of: text) == 32 {
            roots = table.roots(withKey: text)
            return
        }
        guard text.contains(" "), !text.contains("/") else { return nil }
        let exact = table.roots(named: text)
        let wanted = text.lowercased()
        let found = exact.isEmpty ? table.rows.filter { $0.name.lowercased().contains(wanted) } : exact
        guard !found.isEmpty, found.count <= Self.mostRoots else { return nil }
        roots = found
    }

    /// One paragraph for each root.
    public var words: String {
        guard !roots.isEmpty else {
            return
                "No store of Apple's up to \(Self.newest) has this root. A private CA is trusted once it is installed "
                + "(--extra-ca FILE)."
        }
        return (roots.map(\.paragraph) + ["  more         atsgate explain law/trust#roots-by-release"])
            .joined(separator: "\n")
    }

    /// `{"roots": [...]}`, each with `name`, `key`, and one object for each platform.
    public var json: String {
        JSONValue.object([("roots", .array(roots.map(\.json))), ("newest", .string(Self.newest))]).text
    }

    /// The newest published store.
    private static let newest = "26.0"
    /// More are hardly what the user means.
    private static let mostRoots = 12
}

extension AppleRoot {
    fileprivate var paragraph: String {
        var lines = [name]
        for platform in OSRelease.Platform.allCases {
            lines.append("  \(platform.title.padded(to: 13))\(sentence(on: platform))")
        }
        if !servesTLS { lines.append("  purpose      not for TLS servers, by Apple's own constraints of 26.0") }
        return lines.joined(separator: "\n")
    }

    private func sentence(on platform: OSRelease.Platform) -> String {
        switch platform {
        case .ios: words(on: .ios) + grade
        case .macos: words(on: .macos) + (macos == .never ? "" : " (source)")
        case .ipados, .tvos, .watchos, .visionos: first(of: platform)
        }
    }

    private var grade: String {
        guard let confidence else { return "" }
        guard case .releases(_, .current) = ios else { return " (\(confidence.until.rawValue))" }
        return " (\(confidence.since.rawValue))"
    }

    /// The first and the last release of a platform whose store is that of an iOS release (inferred).
    private func first(of platform: OSRelease.Platform) -> String {
        let releases = Self.releases(of: platform).filter { membership(on: $0) == .present }
        guard let first = releases.first, let last = releases.last, let newest = Self.releases(of: platform).last else {
            return "in no store"
        }
        let since = first == Self.releases(of: platform).first ? "since the first release" : "since \(first.title)"
        return since + (last == newest ? "" : ", last in \(last.title)") + " (inferred from iOS)"
    }

    /// Releases without their patches, oldest first.
    private static func releases(of platform: OSRelease.Platform) -> [OSRelease] {
        (1...27).flatMap { major in (0...9).compactMap { OSRelease(platform, OSVersion(major, $0)) } }
    }

    fileprivate var json: JSONValue {
        .object([
            ("name", .string(name)), ("key", .string(key)), ("certificates", .texts(certificates)),
            ("ios", ios.json(confidence?.since)), ("macos", macos.json(macos == .never ? nil : .source)),
            ("servesTLS", .flag(servesTLS)),
        ])
    }
}

extension AppleRoot.Span {
    /// null for a root that no release with ATS has. `since` is null for one older than ATS, `until` for one that the
    /// newest published store has.
    fileprivate func json(_ confidence: Confidence?) -> JSONValue {
        guard case .releases(let start, let end) = self else { return .null }
        var (since, until) = (JSONValue.null, JSONValue.null)
        if case .version(let first) = start { since = .string("\(first)") }
        switch end {
        case .current: break
        case .version(let last, _): until = .string("\(last)")
        case .between(let last, let gone): until = .string("\(last) to before \(gone)")
        }
        return .object([("since", since), ("until", until), ("confidence", .text(confidence?.rawValue))])
    }
}
