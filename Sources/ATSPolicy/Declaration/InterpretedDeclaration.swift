/// A dictionary as one release reads it: typed, without ignored values.
///
/// Source: Security, SecProtocolConfiguration.m; docs/law/keys.md#types-of-values. nil means absent, which differs from
/// false for the global keys (docs/law/rulings.md#order-of-decisions, docs/law/rulings.md#siblings).
public struct InterpretedDeclaration: Sendable, Hashable {
    public var allowsArbitraryLoads: Bool?
    public var allowsArbitraryLoadsForMedia: Bool?
    public var allowsArbitraryLoadsInWebContent: Bool?
    public var allowsLocalNetworking: Bool?
    /// nil if the key is absent, has an unknown value, or is not read by that release (docs/law/niap.md#package-21).
    public var niap: NIAPPackage?
    /// By the key as written: a domain, an address or a CIDR range.
    public var exceptions: [String: ExceptionEntry] = [:]
    /// In the order of the file.
    public var pins: [PinnedDomain] = []
}

extension Declaration {
    /// Reads the raw values like the release of `profile`. Source: Security, SecProtocolConfiguration.m;
    /// docs/law/keys.md#types-of-values.
    public func interpreted(for profile: OSProfile) -> InterpretedDeclaration {
        let reader = ValueReader(profile)
        var result = InterpretedDeclaration(
            allowsArbitraryLoads: reader.boolean(ATSKey.arbitraryLoads, in: members),
            niap: reader.niap(ATSKey.niapVersion, in: members))
        if profile.keys.contains(.siblings) {
            result.allowsArbitraryLoadsForMedia = reader.boolean(ATSKey.forMedia, in: members)
            result.allowsArbitraryLoadsInWebContent = reader.boolean(ATSKey.inWebContent, in: members)
            result.allowsLocalNetworking = reader.boolean(ATSKey.localNetworking, in: members)
        }
        if case .dictionary(let domains)? = members.last(ATSKey.exceptionDomains)?.node.value {
            for domain in domains {
                // The last one wins, even if it is not a dictionary: the file reader dropped the first.
                result.exceptions[domain.key] = reader.entry(domain)
            }
        }
        if profile.keys.contains(.pinnedDomains),
            case .dictionary(let domains)? = members.last(ATSKey.pinnedDomains)?.node.value
        {
            result.pins = domains.compactMap(reader.pin)
        }
        return result
    }
}

/// Converts raw nodes to values by the rules of one parser version.
struct ValueReader {
    private let countsOddBooleansAsFalse: Bool
    private let keys: OSProfile.Keys

    init(_ profile: OSProfile) {
        countsOddBooleansAsFalse = profile.countsOddBooleansAsFalse
        keys = profile.keys
    }

    /// Returns a Boolean. It must be a number object, and is true only if it equals YES: the integer 2 is present but
    /// false. 18.4 counted everything except exactly true as present and false; 18.5 relaxed that (source;
    /// docs/law/keys.md#types-of-values).
    func boolean(_ key: String, in members: [PropertyMember]) -> Bool? {
        guard let value = member(key, in: members)?.node.value else { return nil }
        switch value {
        case .boolean(let flag): return flag
        case .integer(let number): return number == 1 && !countsOddBooleansAsFalse
        case .real(let number): return number == 1 && !countsOddBooleansAsFalse
        case .string, .data, .date, .array, .dictionary: return countsOddBooleansAsFalse ? false : nil
        }
    }

    /// Returns nil for a value that is not a dictionary: the host then behaves as if it were not listed (source;
    /// docs/law/keys.md#types-of-values).
    func entry(_ member: PropertyMember) -> ExceptionEntry? {
        guard case .dictionary(let members) = member.node.value else { return nil }
        var entry = ExceptionEntry(
            includesSubdomains: boolean(ATSKey.includesSubdomains, in: members),
            allowsInsecureHTTPLoads: boolean(ATSKey.insecureHTTP, in: members),
            minimumTLS: minimumTLS(in: members),
            requiresForwardSecrecy: boolean(ATSKey.forwardSecrecy, in: members))
        entry.insecureHTTPKey = self.member(ATSKey.insecureHTTP, in: members)?.key ?? ATSKey.insecureHTTP
        if keys.contains(.certificateTransparency) {
            entry.requiresCertificateTransparency = boolean(ATSKey.certificateTransparency, in: members)
        }
        entry.niap = niap(ATSKey.exceptionNIAPVersion, in: members)
        return entry
    }

    /// Returns the member of a key, or of an older spelling on releases that accept those
    /// (docs/law/keys.md#old-spellings). Which one has precedence is not known; here it is the current spelling
    /// (inferred).
    private func member(_ key: String, in members: [PropertyMember]) -> PropertyMember? {
        if let member = members.last(key) { return member }
        guard keys.contains(.legacySpellings) else { return nil }
        return ATSKey.legacySpellings(of: key).lazy.compactMap { members.last($0) }.first
    }

    /// Returns a NIAP package. Values other than the three documented ones count as absent (inferred). Source: Apple,
    /// NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
    func niap(_ key: String, in members: [PropertyMember]) -> NIAPPackage? {
        guard keys.contains(.niap), case .string(let text)? = members.last(key)?.node.value else { return nil }
        return NIAPPackage(rawValue: text)
    }

    /// `TLSv1.3` also counts on releases that do not support it: every load then fails
    /// (docs/law/tls.md#versions).
    private func minimumTLS(in members: [PropertyMember]) -> TLSVersion? {
        member(ATSKey.minimumTLS, in: members).flatMap { Self.minimumTLS(of: $0.node.value) }
    }

    /// NSIncludesSubdomains must be a real Boolean here (source; docs/law/pinning.md).
    func pin(_ member: PropertyMember) -> PinnedDomain? {
        guard case .dictionary(let members) = member.node.value else { return nil }
        return PinnedDomain(
            domain: member.key,
            includesSubdomains: members.last(ATSKey.includesSubdomains)?.node.value == .boolean(true),
            leafIdentities: Self.identities(members.last(ATSKey.leafPins)),
            authorityIdentities: Self.identities(members.last(ATSKey.caPins)))
    }

    /// Skips malformed elements and ignores unknown members of an element. A list that is not an array counts as an
    /// empty list (docs/law/pinning.md#empty-lists; source, the last inferred).
    private static func identities(_ list: PropertyMember?) -> [String]? {
        guard let list else { return nil }
        guard case .array(let elements) = list.node.value else { return [] }
        return elements.compactMap { element in
            guard case .dictionary(let members) = element.value,
                case .string(let text)? = members.last(ATSKey.pinIdentity)?.node.value
            else { return nil }
            return text.filter { !$0.isWhitespace }
        }
    }

    /// Names are exact and case-sensitive; anything else leaves 1.2 in force (source;
    /// docs/law/keys.md#types-of-values). Apple's parser also accepts the DTLS names. Their effect on a TLS load is not
    /// known, so they count as absent here (inferred).
    static func minimumTLS(of value: PropertyValue) -> TLSVersion? {
        guard case .string(let text) = value else { return nil }
        return TLSVersion.allCases.first { $0.declarationName.utf8.elementsEqual(text.utf8) }
    }
}

/// One entry of `NSExceptionDomains` as a release reads it. Source: Apple, NSExceptionDomains; Security,
/// SecProtocolConfiguration.m; docs/law/keys.md#entry-keys, docs/law/keys.md#types-of-values.
///
/// A value is nil if its key is absent or ignored, so key paths always name keys that had an effect.
public struct ExceptionEntry: Sendable, Hashable {
    public var includesSubdomains: Bool?
    public var allowsInsecureHTTPLoads: Bool?
    /// The spelling of its key in the file: an older one on releases that accept those
    /// (docs/law/keys.md#old-spellings).
    public var insecureHTTPKey = ATSKey.insecureHTTP
    public var minimumTLS: TLSVersion?
    public var requiresForwardSecrecy: Bool?
    public var requiresCertificateTransparency: Bool?
    public var niap: NIAPPackage?

    public init(
        includesSubdomains: Bool? = nil, allowsInsecureHTTPLoads: Bool? = nil, minimumTLS: TLSVersion? = nil,
        requiresForwardSecrecy: Bool? = nil
    ) {
        self.includesSubdomains = includesSubdomains
        self.allowsInsecureHTTPLoads = allowsInsecureHTTPLoads
        self.minimumTLS = minimumTLS
        self.requiresForwardSecrecy = requiresForwardSecrecy
    }
}

/// One entry of `NSPinnedDomains` as a release reads it. Source: Apple, NSPinnedDomains; docs/law/pinning.md.
public struct PinnedDomain: Sendable, Hashable {
    /// Key of the entry, as written.
    public var domain: String
    public var includesSubdomains: Bool
    /// Base64 of the SHA-256 over each SubjectPublicKeyInfo, without malformed elements. nil if the key is absent; an
    /// empty list matches nothing, so the host always fails.
    public var leafIdentities: [String]?
    public var authorityIdentities: [String]?

    /// True if the entry has at least one of the lists; without them it pins nothing.
    public var hasIdentities: Bool { leafIdentities != nil || authorityIdentities != nil }
}
