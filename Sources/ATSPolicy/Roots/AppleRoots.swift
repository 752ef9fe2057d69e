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
