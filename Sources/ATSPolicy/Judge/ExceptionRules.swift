/// The effect of one exception entry on the hosts that it matches, computed once. Source: Security,
/// SecProtocolConfiguration.m; docs/law/rulings.md#order-of-decisions step 1.
final class ExceptionRules: Sendable {
    let key: String
    let includesSubdomains: Bool
    let allowsInsecureHTTPLoads: Bool
    /// True if the entry allows loads that the secure defaults block.
    let isLoosening: Bool
    let isBuiltIn: Bool
    let basis: RulingBasis
    let terms: TLSTerms

    init(key: String, entry: ExceptionEntry, setting: TLSTerms.Setting, isBuiltIn: Bool) {
        let profile = setting.profile
        self.key = key
        self.isBuiltIn = isBuiltIn
        includesSubdomains = entry.includesSubdomains ?? false
        allowsInsecureHTTPLoads = entry.allowsInsecureHTTPLoads ?? false
        isLoosening =
            allowsInsecureHTTPLoads || entry.requiresForwardSecrecy == false
            || max(entry.minimumTLS ?? .tls12, profile.tlsFloor) < .tls12
        terms = .entry(entry, setting)
        let path = "\(ATSKey.root).\(ATSKey.exceptionDomains).\(key)"
        let decidingKey = entry.allowsInsecureHTTPLoads == nil ? path : "\(path).\(entry.insecureHTTPKey)"
        basis = RulingBasis(
            step: .exception, keyPath: isBuiltIn ? nil : decidingKey, entry: key, isBuiltIn: isBuiltIn,
            notes: isBuiltIn
                ? ["\(key) is one of the exceptions built into the system (\(DocsSection.builtInExceptions))."]
                : Self.notes(entry, profile) + (terms.demands?.notes ?? []),
            confidence: profile.engine.confidence)
    }

    /// The system's minimum overrides an entry. Source: OWASP MASTG, TECH-0149; docs/law/tls.md#system-floor.
    private static func notes(_ entry: ExceptionEntry, _ profile: OSProfile) -> [String] {
        guard let minimum = entry.minimumTLS, minimum < profile.tlsFloor else { return [] }
        return [
            "\(ATSKey.minimumTLS) = \(minimum.declarationName) has no effect on \(profile.title) for apps linked with "
                + "the SDK of 26 or later: their minimum is TLS \(profile.tlsFloor.name) (\(DocsSection.systemFloor))."
        ]
    }
}
