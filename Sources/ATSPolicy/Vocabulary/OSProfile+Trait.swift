extension OSProfile {
    /// A property in which releases differ, used to explain a change from one release to the next.
    public enum Trait: String, Sendable, Hashable, CaseIterable {
        case localRule, siblingKeys, addressKeys, legacySpellings, transparencyKey, pinnedDomains, niapKeys
        case oddBooleans, builtInExceptions, builtInsUnderNIAP, suites, newestTLS, tlsFloor
    }

    /// Returns this profile with one property of another, to test the effect of that property alone.
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
        case .builtInsUnderNIAP: result.dropsBuiltInExceptionsUnderNIAP = other.dropsBuiltInExceptionsUnderNIAP
        case .suites:
            result.atsSuites = other.atsSuites
            result.staticRSASuites = other.staticRSASuites
            result.ownSystemSuites = other.ownSystemSuites
            result.helloShape = other.helloShape
        case .newestTLS: result.newestTLS = other.newestTLS
        case .tlsFloor: result.tlsFloor = other.tlsFloor
        }
        return result
    }

    private mutating func adopt(_ key: Keys, from other: OSProfile) {
        keys = other.keys.contains(key) ? keys.union(key) : keys.subtracting(key)
    }

    /// Returns a sentence on a property of this release, with a reference to docs/law.
    public func sentence(on trait: Trait) -> String { "\(words(on: trait)) (\(topic(of: trait)))" }

    private func words(on trait: Trait) -> String {
        switch trait {
        case .localRule: localRule.words
        case .siblingKeys: "\(Self.reads(keys, .siblings)) NSAllowsLocalNetworking and its two siblings"
        case .addressKeys: "\(Self.reads(keys, .addresses)) addresses and ranges as exception keys"
        case .legacySpellings: "\(Self.reads(keys, .legacySpellings)) NSThirdParty and NSTemporary spellings"
        case .transparencyKey: "\(Self.reads(keys, .certificateTransparency)) NSRequiresCertificateTransparency"
        case .pinnedDomains: "\(Self.reads(keys, .pinnedDomains)) NSPinnedDomains"
        case .niapKeys: "\(Self.reads(keys, .niap)) the NIAP keys"
        case .oddBooleans:
            countsOddBooleansAsFalse
                ? "a value that is not a Boolean counts as present and false"
                : "a string instead of a Boolean counts as absent, and the number 1 as true"
        case .builtInExceptions:
            hasBuiltInExceptions ? "Apple's own exceptions are registered" : "no exceptions are built in"
        case .builtInsUnderNIAP:
            "Apple's own exceptions \(dropsBuiltInExceptionsUnderNIAP ? "do not count" : "count") under a NIAP package"
        case .suites: "\(atsSuites.count) suites in the ATS list, \(staticRSASuites.count) more without ECDHE"
        case .newestTLS: "supports TLS up to \(newestTLS.name)"
        case .tlsFloor:
            tlsFloor > .tls10
                ? "needs TLS \(tlsFloor.name) in apps linked with the SDK of 26 or later, regardless of the dictionary"
                : "supports TLS \(tlsFloor.name) if the dictionary allows it"
        }
    }

    private func topic(of trait: Trait) -> DocsSection {
        switch trait {
        case .localRule: .addressesByRelease
        case .siblingKeys: .globalKeys
        case .addressKeys: .addressKeys
        case .legacySpellings: .oldSpellings
        case .transparencyKey: .entryKeys
        case .pinnedDomains: .pins
        case .niapKeys: .niapPackage
        case .oddBooleans: .typesOfValues
        case .builtInExceptions, .builtInsUnderNIAP: .builtInExceptions
        case .suites: .suites
        case .newestTLS: .tlsVersions
        case .tlsFloor: .systemFloor
        }
    }

    private static func reads(_ keys: Keys, _ key: Keys) -> String {
        keys.contains(key) ? "reads" : "does not read"
    }
}

extension OSProfile.LocalRule {
    /// The rule in a few words. Source: Apple, NSAllowsLocalNetworking; docs/law/addresses.md#by-release.
    fileprivate var words: String {
        switch self {
        case .none: "ATS applies to local names and addresses as to all others"
        case .namesAndAllAddresses: "local names are exempt, and ATS does not apply to addresses"
        case .names: "local names are exempt, addresses need NSAllowsLocalNetworking or an exception"
        case .direct: "local names and direct addresses are exempt"
        }
    }
}
