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
}
