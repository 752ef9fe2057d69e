/// Since when the system's own rules on trust hold. Source: Apple support 103769; docs/law/trust.md.
extension OSProfile {
    /// Whether a rule that came with that iOS, or the macOS beside it, is in force.
    func hasRules(of version: OSVersion) -> Bool { release.generation >= version }

    /// Apple support 103769: subjectAltName, key sizes, SHA-2, serverAuth, 825 days; macOS 10.15 (documented).
    var hasRequirementsOf2019: Bool { hasRules(of: OSVersion(13)) }

    /// Apple support HT205280: iOS 12.1.1 and macOS 10.14.2 (documented), whose kernels do not run in step
    /// (docs/law/profiles.md#darwin).
    var demandsTransparency: Bool {
        release.platform == .macos
            ? release.version >= OSVersion(10, 14, 2) : hasRules(of: OSVersion(12, 1, 1))
    }
}
