/// A declaration as one OS generation reads it: typed, with what does not count left out.
///
/// Source: `ats-semantics.md` 1.5 `[S]`. nil means absent, which differs from false for the global keys (2.1, 2.2).
public struct InterpretedDeclaration: Sendable, Hashable {
    public var allowsArbitraryLoads: Bool?
    public var allowsArbitraryLoadsForMedia: Bool?
    public var allowsArbitraryLoadsInWebContent: Bool?
    public var allowsLocalNetworking: Bool?
    /// By the key as written: a domain, an address or a CIDR range.
    public var exceptions: [String: ExceptionEntry] = [:]
    /// In the order of the file.
    public var pins: [PinnedDomain] = []
}

extension Declaration {
    /// Reads the raw values as `profile` does. Source: `ats-semantics.md` 1.5 `[S]`.
    public func interpreted(for profile: OSProfile) -> InterpretedDeclaration {
        let reader = ValueReader(countsOddBooleansAsFalse: profile.countsOddBooleansAsFalse)
        var result = InterpretedDeclaration(
            allowsArbitraryLoads: reader.boolean(ATSKey.arbitraryLoads, in: members),
            allowsArbitraryLoadsForMedia: reader.boolean(ATSKey.forMedia, in: members),
            allowsArbitraryLoadsInWebContent: reader.boolean(ATSKey.inWebContent, in: members),
            allowsLocalNetworking: reader.boolean(ATSKey.localNetworking, in: members))
        if case .dictionary(let domains)? = members.last(ATSKey.exceptionDomains)?.node.value {
            for domain in domains {
                // Last one wins, also where it is no dictionary: the reader of the file dropped the first.
                result.exceptions[domain.key] = reader.entry(domain)
            }
        }
        if case .dictionary(let domains)? = members.last(ATSKey.pinnedDomains)?.node.value {
            result.pins = domains.compactMap(reader.pin)
        }
        return result
    }
}

/// Turns raw nodes into values by the rules of one parser version.
struct ValueReader {
    let countsOddBooleansAsFalse: Bool

    /// A Boolean must be a number object, and is true only when it equals YES: the integer 2 is false, but present.
    /// 18.4 counted whatever was not exactly true as present and false; 18.5 relaxed that (1.5 `[S]`).
    func boolean(_ key: String, in members: [PropertyMember]) -> Bool? {
        guard let value = members.last(key)?.node.value else { return nil }
        switch value {
        case .boolean(let flag): return flag
        case .integer(let number): return number == 1 && !countsOddBooleansAsFalse
        case .real(let number): return number == 1 && !countsOddBooleansAsFalse
        case .string, .data, .date, .array, .dictionary: return countsOddBooleansAsFalse ? false : nil
        }
    }

    /// nil for a value that is no dictionary: the host then behaves as if it were not listed (1.5 `[S]`).
    func entry(_ member: PropertyMember) -> ExceptionEntry? {
        guard case .dictionary(let members) = member.node.value else { return nil }
        return ExceptionEntry(
            includesSubdomains: boolean(ATSKey.includesSubdomains, in: members),
            allowsInsecureHTTPLoads: boolean(ATSKey.insecureHTTP, in: members),
            minimumTLS: Self.minimumTLS(in: members),
            requiresForwardSecrecy: boolean(ATSKey.forwardSecrecy, in: members),
            line: member.keyLine)
    }

    /// NSIncludesSubdomains must be a real Boolean here (1.6 `[S]`).
    func pin(_ member: PropertyMember) -> PinnedDomain? {
        guard case .dictionary(let members) = member.node.value else { return nil }
        return PinnedDomain(
            domain: member.key,
            includesSubdomains: members.last(ATSKey.includesSubdomains)?.node.value == .boolean(true),
            hasIdentities: members.last(ATSKey.leafPins) != nil || members.last(ATSKey.caPins) != nil)
    }

    /// Exact and case-sensitive; anything else leaves 1.2 in place (1.5 `[S]`). The DTLS names are read by Apple's
    /// parser, too, but what they do to a TLS load is not known, so they count as absent here `[I]`.
    static func minimumTLS(in members: [PropertyMember]) -> TLSVersion? {
        guard case .string(let text)? = members.last(ATSKey.minimumTLS)?.node.value else { return nil }
        return TLSVersion.allCases.first { $0.declarationName.utf8.elementsEqual(text.utf8) }
    }
}
