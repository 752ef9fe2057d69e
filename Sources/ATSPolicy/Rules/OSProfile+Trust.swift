/// The releases in which the system's own trust rules are in force. Source: Apple support 103769; docs/law/trust.md.
extension OSProfile {
    /// True if a rule introduced in that iOS release, or in the macOS release of the same year, is in force.
    func hasRules(of version: OSVersion) -> Bool { release.generation >= version }

    /// Apple support 103769: subjectAltName, key sizes, SHA-2, serverAuth, 825 days; macOS 10.15 (documented).
    var hasRequirementsOf2019: Bool { hasRules(of: OSVersion(13)) }

    /// Intermediates must be allowed to certify servers since iOS 26.7, 27 and macOS 15.8, 26.7 and 27. Source:
    /// CVE-2026-86881 (CVEProject/cvelistV5); docs/law/trust.md#server-authentication (documented).
    var checksIntermediateUsages: Bool {
        release.platform == .macos && release.version.major == 15
            ? release.version >= OSVersion(15, 8) : hasRules(of: OSVersion(26, 7))
    }

    /// Apple support HT205280: iOS 12.1.1 and macOS 10.14.2 (documented), whose kernel versions differ
    /// (docs/law/profiles.md#darwin).
    var demandsTransparency: Bool {
        release.platform == .macos
            ? release.version >= OSVersion(10, 14, 2) : hasRules(of: OSVersion(12, 1, 1))
    }
}
