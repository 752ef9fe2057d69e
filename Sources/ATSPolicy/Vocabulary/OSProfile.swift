/// An emulated OS generation: data with sources, no behaviour.
public struct OSProfile: Sendable, Hashable {
    /// Which implementation decided on that system (`ats-semantics.md` 0.3).
    public enum Engine: String, Sendable, Hashable {
        /// Closed CFNetwork, 9 to 18.3: known from documentation and observation.
        case classic
        /// The published parser, 18.4 and later.
        case modern
    }

    /// Which hosts are free without a word in the declaration (3.1).
    public enum LocalRule: String, Sendable, Hashable {
        /// None: names without a dot, `.local` and addresses all obey ATS (2.6 `[D]`).
        case none
        /// Local names are free, and ATS is not applied to any address (3.1 `[D]`).
        case namesAndAllAddresses = "names-and-all-addresses"
        /// Local names are free; an address needs NSAllowsLocalNetworking or an exception (3.1 `[D]`).
        case names
        /// Local names and *direct* addresses are free (2.1, 3.3 `[S]`).
        case direct
    }

    /// Keys and spellings that not every generation reads (1.2 to 1.4).
    public struct Keys: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// NSAllowsArbitraryLoadsForMedia, NSAllowsArbitraryLoadsInWebContent, NSAllowsLocalNetworking (1.2).
        public static let siblings = Keys(rawValue: 1 << 0)
        /// NSRequiresCertificateTransparency in an entry (1.3).
        public static let certificateTransparency = Keys(rawValue: 1 << 1)
        /// NSPinnedDomains (1.6).
        public static let pinnedDomains = Keys(rawValue: 1 << 2)
        /// Addresses and CIDR ranges in NSExceptionDomains (3.4).
        public static let addresses = Keys(rawValue: 1 << 3)
        /// Both NIAP keys (1.7).
        public static let niap = Keys(rawValue: 1 << 4)
        /// NSThirdParty, NSTemporary and NSTemporaryThirdParty spellings (1.4).
        public static let legacySpellings = Keys(rawValue: 1 << 5)
    }

    /// Which set of console lines the system prints (6.6).
    public enum LogGeneration: String, Sendable, Hashable, CaseIterable {
        case ios9 = "9"
        case ios10 = "10"
        case ios11 = "11"
        case ios12 = "12"
        case ios13to15 = "13-15"
        case ios16to18 = "16-18"
        case ios26 = "26"
    }

    public let release: OSRelease
    public let engine: Engine
    public internal(set) var localRule: LocalRule
    public internal(set) var keys: Keys
    /// Versions below this are refused whatever a declaration says (4.6).
    public internal(set) var tlsFloor: TLSVersion
    public internal(set) var newestTLS: TLSVersion
    /// The ATS group in the order offered (4.2).
    public internal(set) var atsSuites: [CipherSuite]
    /// Added in front of the ATS group where forward secrecy is not required (2.3, 4.3).
    public internal(set) var staticRSASuites: [CipherSuite]
    /// A Boolean that is not exactly true or false counts as present and false, as in 18.4 (1.5).
    public internal(set) var countsOddBooleansAsFalse: Bool
    /// Apple's own exceptions are registered (1.8).
    public internal(set) var hasBuiltInExceptions: Bool
    public let logGeneration: LogGeneration

    /// The name that `--os` takes, for example `ios26`.
    public var name: String { release.name }
    /// For people, for example `iOS 26`.
    public var title: String { release.title }

    /// Offered where ATS does not narrow the list (4.4 `[I]`). When 3DES and DHE left that list is not known, so they
    /// are in none.
    public var systemSuites: [CipherSuite] { atsSuites + staticRSASuites }
}
