/// An emulated release: data with sources, no behaviour.
public struct OSProfile: Sendable, Hashable {
    /// The implementation of ATS in that release (docs/law/profiles.md#two-engines).
    public enum Engine: String, Sendable, Hashable {
        /// Closed CFNetwork, 9 to 18.3: known from documentation and observation.
        case classic
        /// The published parser, 18.4 and later.
        case modern
    }

    /// The hosts that are exempt from ATS by default (docs/law/addresses.md#by-release).
    public enum LocalRule: String, Sendable, Hashable {
        /// None: ATS applies to names without a dot, `.local` and addresses (documented; docs/law/rulings.md#ios-9).
        case none
        /// Local names are exempt, and ATS does not apply to any address (documented;
        /// docs/law/addresses.md#by-release).
        case namesAndAllAddresses = "names-and-all-addresses"
        /// Local names are exempt; an address needs NSAllowsLocalNetworking or an exception (documented;
        /// docs/law/addresses.md#by-release).
        case names
        /// Local names and *direct* addresses are exempt (source; docs/law/rulings.md#order-of-decisions,
        /// docs/law/addresses.md#direct).
        case direct
    }

    /// Keys and spellings that not every release reads (docs/law/keys.md).
    public struct Keys: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// NSAllowsArbitraryLoadsForMedia, NSAllowsArbitraryLoadsInWebContent, NSAllowsLocalNetworking
        /// (docs/law/keys.md#global-keys).
        public static let siblings = Keys(rawValue: 1 << 0)
        /// NSRequiresCertificateTransparency in an entry (docs/law/keys.md#entry-keys).
        public static let certificateTransparency = Keys(rawValue: 1 << 1)
        /// NSPinnedDomains (docs/law/pinning.md).
        public static let pinnedDomains = Keys(rawValue: 1 << 2)
        /// Addresses and CIDR ranges in NSExceptionDomains (docs/law/addresses.md#address-keys).
        public static let addresses = Keys(rawValue: 1 << 3)
        /// Both NIAP keys (docs/law/niap.md#package-21).
        public static let niap = Keys(rawValue: 1 << 4)
        /// NSThirdParty, NSTemporary and NSTemporaryThirdParty spellings (docs/law/keys.md#old-spellings).
        public static let legacySpellings = Keys(rawValue: 1 << 5)
    }

    /// The set of console lines that the release prints (docs/console-lines.md).
    public enum LogGeneration: String, Sendable, Hashable, CaseIterable {
        case ios9 = "9"
        case ios10 = "10"
        case ios11 = "11"
        case ios12 = "12"
        case ios13to15 = "13-15"
        case ios16to18 = "16-18"
        case ios26 = "26"
        /// Errors and lines of 26, with additions to the unified log.
        case ios27 = "27"
    }

    public let release: OSRelease
    public let engine: Engine
    public internal(set) var localRule: LocalRule
    public internal(set) var keys: Keys
    /// Lower versions are refused even if a dictionary allows them (docs/law/tls.md#versions). From 26 on only for apps
    /// linked with the SDK of 26 or later.
    public internal(set) var tlsFloor: TLSVersion
    public internal(set) var newestTLS: TLSVersion
    /// The ATS group in the order offered (docs/law/tls.md#suites).
    public internal(set) var atsSuites: [CipherSuite]
    /// Added before the ATS group if forward secrecy is not required (docs/law/rulings.md#demands,
    /// docs/law/tls.md#suites-without-forward-secrecy).
    public internal(set) var staticRSASuites: [CipherSuite]
    /// Those of a load to which ATS does not apply, in the order offered.
    var ownSystemSuites: [CipherSuite]
    /// Groups, signature algorithms and extensions of the hello (docs/law/tls.md#groups-and-signatures).
    public internal(set) var helloShape: HelloShape
    /// A Boolean that is not exactly true or false counts as present and false, as in 18.4
    /// (docs/law/keys.md#types-of-values).
    public internal(set) var countsOddBooleansAsFalse: Bool
    /// True if Apple's own exceptions are registered (docs/law/keys.md#built-in-exceptions).
    public internal(set) var hasBuiltInExceptions: Bool
    /// True if Apple's own exceptions do not apply to an app that requires a NIAP package (inferred from the names of
    /// two flags; docs/law/keys.md#built-in-exceptions).
    public internal(set) var dropsBuiltInExceptionsUnderNIAP: Bool
    public let logGeneration: LogGeneration
    /// The trust stores of all releases (docs/law/trust.md#roots-by-release).
    public internal(set) var roots = AppleRoots.published
    /// True if a root that the release's own store lacks blocks even where stores arrive over the air.
    public internal(set) var isStrictAboutRoots = false
    /// True if a device repeats a failed handshake without the hybrid group (inferred; docs/law/tls.md#hybrid-group).
    public internal(set) var retriesWithoutHybridGroup = false

    /// The name that `--os` accepts, for example `ios26`.
    public var name: String { release.name }
    /// For messages, for example `iOS 26`.
    public var title: String { release.title }

    /// The suites offered if ATS does not narrow the list (observed; docs/law/tls.md#system-suites). Suites that a switch
    /// added to the ATS list come last.
    public var systemSuites: [CipherSuite] {
        ownSystemSuites + (atsSuites + staticRSASuites).filter { !ownSystemSuites.contains($0) }
    }

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

extension OSProfile {
    /// Returns the ATS group of a release, in its order. Source: Security, SecProtocolInternal.h; docs/law/tls.md#suites;
    /// iOS 12 has the list of 13 (inferred).
    static func atsSuites(_ generation: OSVersion, newestTLS: TLSVersion) -> [CipherSuite] {
        let order = generation < OSVersion(12) ? CipherSuite.orderBefore12 : CipherSuite.order(generation)
        let accepted = generation < OSVersion(15, 4) ? order : order.filter { !$0.isCBCSHA2 }
        let suites = generation < OSVersion(26, 2) ? accepted : accepted.sorted(by: CipherSuite.orderSince26_2)
        return newestTLS < .tls13 ? suites : CipherSuite.tls13(generation, isATS: true) + suites
    }

    /// Returns the suites that NSExceptionRequiresForwardSecrecy=NO adds. Source: Security, SecProtocolInternal.h;
    /// docs/law/tls.md#suites-without-forward-secrecy.
    static func staticRSASuites(_ generation: OSVersion) -> [CipherSuite] {
        generation < OSVersion(15, 4)
            ? CipherSuite.staticRSA : CipherSuite.staticRSA.filter { !$0.isCBCSHA2 }
    }

    /// Returns the suites of a load to which ATS does not apply, as ClientHellos of Safari and of media loads show them.
    /// Source: testssl/testssl.sh, etc/client-simulation.txt; refraction-networking/utls, u_parrots.go; developer forums
    /// 18625 for iOS 9; docs/law/tls.md#system-suites.
    static func systemSuites(_ generation: OSVersion, newestTLS: TLSVersion) -> [CipherSuite] {
        guard generation >= OSVersion(11) else {
            return CipherSuite.systemBefore11 + (generation < OSVersion(10) ? CipherSuite.rc4 : [])
        }
        let tls13 = newestTLS < .tls13 ? [] : CipherSuite.tls13(generation, isATS: false)
        let ecdhe = CipherSuite.order(generation).filter { !($0.isCBCSHA2 && generation >= OSVersion(15, 4)) }
        // Not seen on 11 to 12.0; seen on 12.1 in one list and on 12.2 in another.
        let tripleDES = generation < OSVersion(12, 1) ? [] : CipherSuite.tripleDES
        return tls13 + ecdhe + staticRSASuites(generation) + tripleDES
    }

    /// Returns the profile with the CBC suites of SHA-256 and SHA-384 added or removed (C6).
    func offeringCBCSHA2(_ isOffered: Bool) -> OSProfile {
        var profile = self
        profile.atsSuites.removeAll(where: \.isCBCSHA2)
        profile.staticRSASuites.removeAll(where: \.isCBCSHA2)
        profile.ownSystemSuites.removeAll(where: \.isCBCSHA2)
        guard isOffered else { return profile }
        profile.atsSuites = Self.insert(CipherSuite.ecdheCBCSHA2, before: CipherSuite.ecdheCBC, in: profile.atsSuites)
        profile.staticRSASuites = Self.insert(
            CipherSuite.staticRSA.filter(\.isCBCSHA2), before: CipherSuite.rsaCBC, in: profile.staticRSASuites)
        return profile
    }

    /// The profile with the lists of the documentation, which date from 2015: eleven suites of TLS 1.2, and six without
    /// forward secrecy. The suites of TLS 1.3, which is newer, stay (C6; docs/law/tls.md#suites).
    var offeringDocumentedSuites: OSProfile {
        var profile = self
        let tls13 = atsSuites.filter { $0.keyExchange == .tls13 }
        profile.atsSuites = tls13 + CipherSuite.documented
        profile.staticRSASuites = CipherSuite.staticRSA
        return profile
    }

    private static func insert(
        _ suites: [CipherSuite], before tail: [CipherSuite], in list: [CipherSuite]
    ) -> [CipherSuite] {
        let place = list.firstIndex { $0 == tail.first } ?? list.endIndex
        return list[..<place] + suites + list[place...]
    }

    /// Returns the release in a client's User-Agent if its rules differ from those of this release, by which the client
    /// is judged.
    ///
    /// - Returns: nil if the User-Agent identifies no release, or one with the same rules, or is also sent by every
    ///   later release.
    public func differingProfile(in userAgent: String) -> OSProfile? {
        guard let guess = OSProfile.guess(userAgent: userAgent), !guess.isLowerBound else { return nil }
        return isLike(guess.profile) ? nil : guess.profile
    }

    /// True if both have the same major version and the same rules. A kernel version does not distinguish an iPhone
    /// from a Mac.
    private func isLike(_ other: OSProfile) -> Bool {
        release.generation.major == other.release.generation.major && engine == other.engine
            && localRule == other.localRule && keys == other.keys && tlsFloor == other.tlsFloor
            && newestTLS == other.newestTLS && Set(systemSuites) == Set(other.systemSuites)
            && Set(atsSuites) == Set(other.atsSuites) && staticRSASuites == other.staticRSASuites
            && countsOddBooleansAsFalse == other.countsOddBooleansAsFalse
            && hasBuiltInExceptions == other.hasBuiltInExceptions
    }
}

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
