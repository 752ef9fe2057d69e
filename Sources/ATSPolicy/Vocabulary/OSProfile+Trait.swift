extension OSProfile {
    /// One property in which generations differ: what a change from one to the next can be put down to.
    public enum Trait: String, Sendable, Hashable, CaseIterable {
        case localRule, siblingKeys, addressKeys, legacySpellings, transparencyKey, pinnedDomains, niapKeys
        case oddBooleans, builtInExceptions, suites, newestTLS, tlsFloor
    }

    /// This profile with one property of another: what would have happened had only that one changed.
    public func adopting(_ trait: Trait, from other: OSProfile) -> OSProfile {
        var result = self
        switch trait {
        case .localRule: result.localRule = other.localRule
        case .siblingKeys: result.adopt(.siblings, from: other)
        case .addressKeys: result.adopt(.addresses, from: other)
        case .legacySpellings: result.adopt(.legacySpellings, from: other)
        case .transparencyKey: result.adopt(.certificateTransparency, from: other)
        case .pinnedDomains: result.adopt(.pinnedDomains, from: other)
        case .niapKeys: result.adopt(.niap, from: other)
        case .oddBooleans: result.countsOddBooleansAsFalse = other.countsOddBooleansAsFalse
        case .builtInExceptions: result.hasBuiltInExceptions = other.hasBuiltInExceptions
        case .suites:
            result.atsSuites = other.atsSuites
            result.staticRSASuites = other.staticRSASuites
        case .newestTLS: result.newestTLS = other.newestTLS
        case .tlsFloor: result.tlsFloor = other.tlsFloor
        }
        return result
    }

    private mutating func adopt(_ key: Keys, from other: OSProfile) {
        keys = other.keys.contains(key) ? keys.union(key) : keys.subtracting(key)
    }

    /// How things stand on this system, with the section of `ats-semantics.md`.
    public func sentence(on trait: Trait) -> String {
        switch trait {
        case .localRule: localRule.sentence
        case .siblingKeys: "\(Self.reads(keys, .siblings)) NSAllowsLocalNetworking and its two siblings (1.2)"
        case .addressKeys: "\(Self.reads(keys, .addresses)) addresses and ranges as exception keys (3.4)"
        case .legacySpellings: "\(Self.reads(keys, .legacySpellings)) NSThirdParty and NSTemporary spellings (1.4)"
        case .transparencyKey:
            "\(Self.reads(keys, .certificateTransparency)) NSRequiresCertificateTransparency (1.3)"
        case .pinnedDomains: "\(Self.reads(keys, .pinnedDomains)) NSPinnedDomains (1.6)"
        case .niapKeys: "\(Self.reads(keys, .niap)) the NIAP keys (1.7)"
        case .oddBooleans:
            countsOddBooleansAsFalse
                ? "a value that is no Boolean counts as present and false (1.5)"
                : "a string in place of a Boolean counts as absent, and the number 1 as true (1.5)"
        case .builtInExceptions:
            hasBuiltInExceptions ? "Apple's own exceptions are registered (1.8)" : "no exceptions are built in (1.8)"
        case .suites:
            "\(atsSuites.count) suites in the ATS list, \(staticRSASuites.count) more without ECDHE (4.2, 4.3)"
        case .newestTLS: "speaks TLS up to \(newestTLS.name) (4.6)"
        case .tlsFloor: "speaks nothing below TLS \(tlsFloor.name), whatever a declaration says (4.6)"
        }
    }

    private static func reads(_ keys: Keys, _ key: Keys) -> String {
        keys.contains(key) ? "reads" : "does not read"
    }
}

extension OSProfile.LocalRule {
    /// The rule in a few words. Source: `ats-semantics.md` 3.1.
    public var sentence: String {
        switch self {
        case .none: "local names and addresses obey ATS like all others (2.6, 3.1)"
        case .namesAndAllAddresses: "local names are free, and ATS is not applied to addresses (3.1)"
        case .names: "local names are free, addresses need NSAllowsLocalNetworking or an exception (3.1)"
        case .direct: "local names and direct addresses are free (2.1, 3.1)"
        }
    }
}
