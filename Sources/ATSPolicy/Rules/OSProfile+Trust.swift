/// The releases in which the system's own trust rules are in force. Source: Apple support 103769; docs/law/trust.md.
extension OSProfile {
    /// True if a rule introduced in that iOS release, or in the macOS release of the same year, is in force.
    func hasRules(of version: OSVersion) -> Bool { release.generation >= version }

    /// Apple support 103769: subjectAltName, key sizes, SHA-2, serverAuth, 825 days; macOS 10.15 (documented).
    var hasRequirementsOf2019: Bool { hasRules(of: OSVersion(13)) }

    /// Apple support HT205280: iOS 12.1.1 and macOS 10.14.2 (documented), whose kernel versions differ
    /// (docs/law/profiles.md#darwin).
    var demandsTransparency: Bool {
        release.platform == .macos
            ? release.version >= OSVersion(10, 14, 2) : hasRules(of: OSVersion(12, 1, 1))
    }
}
