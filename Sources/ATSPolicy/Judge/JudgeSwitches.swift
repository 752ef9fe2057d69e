public import Text

/// Readings of the law on which the sources disagree or stay silent; the defaults follow Apple's published source.
public struct JudgeSwitches: Sendable, Hashable {
    /// Addresses that count as *direct*. Apple's code for it is closed (inferred; docs/law/addresses.md#direct).
    public var localNetworks: [AddressBlock]
    /// Apple's own exceptions (docs/law/keys.md#built-in-exceptions); nil leaves it to the profile.
    public var builtInExceptions: Bool?
    /// C2: whether an address, even a direct one, needs NSAllowsLocalNetworking or an exception. nil leaves it to the
    /// profile: yes from 17 to 18.3, no from 18.4 on. Before 17 it has no meaning.
    public var strictIP: Bool?
    /// C2: whether an app that was linked below iOS 17 keeps the older law on addresses on 17 to 18.3.
    public var linkedSDK = LinkedSDKReading.bundle
    /// Whether pins hold where ATS is off for the host, which Apple does not document (inferred;
    /// docs/law/pinning.md#with-ats-off).
    public var pinWhenATSOff: Bool
    /// C1: how deep NSIncludesSubdomains of an exception reaches.
    public var subdomainDepth = SubdomainDepth.any
    /// C3: what of NSAllowsLocalNetworking disables NSAllowsArbitraryLoads.
    public var siblingKeys = SiblingReading.presence
    /// C4: whether an entry that gives forward secrecy up still asks for keys of RSA 2048 or EC 256 bits.
    public var keySizeWithoutForwardSecrecy = true
    /// C5: which certificates have to meet ATS's minimums.
    public var certificateScope = CertificateScope.chain
    /// C6: whose list of suites is offered.
    public var suiteList = SuiteList.published
    /// C6: whether suites with CBC and SHA-256 or SHA-384 are offered; nil leaves it to the list.
    public var cbcSHA2: Bool?
    /// C8: whether old spellings are read (docs/law/keys.md#old-spellings); nil leaves it to the profile.
    public var legacyKeys: Bool?
    /// C9: whether addresses in NSExceptionDomains count; nil leaves it to the profile.
    public var addressKeys: Bool?
    /// C10: what NSExceptionAllowsInsecureHTTPLoads does about bad certificates.
    public var insecureTrust = InsecureTrust.app
    /// C16: whether http to names without a dot and to `.local` is free on iOS 10 to 13 without
    /// NSAllowsLocalNetworking.
    public var localNames = LocalNames.free
    /// C17: whether names that end in `.localhost` are local from 27 on.
    public var localhostNames = LocalhostNames.remote
    /// C18: whether https to a private address keeps ATS's demands in web content from 26 on.
    public var webLocalTrust = WebLocalTrust.strict
    /// C14, C15: the numbers that an app is shown.
    public var apple = AppleReadings()

    /// The readings of C1.
    public enum SubdomainDepth: String, Sendable, Hashable, CaseIterable {
        /// One label, as the documentation says.
        case one
        /// Any number, as the source of 18.4 does and the older documentation says.
        case any
    }

    /// The readings of C3.
    public enum SiblingReading: String, Sendable, Hashable, CaseIterable {
        /// Any value, as the source of 18.4 does.
        case presence
        /// Only true, as an archived edition of the documentation says.
        case value
    }

    /// The readings of C5.
    public enum CertificateScope: String, Sendable, Hashable, CaseIterable {
        /// Every certificate below the anchor, as Apple's policy does.
        case chain
        /// The server's own, as the documentation says.
        case leaf
    }

    /// The readings of C6.
    public enum SuiteList: String, Sendable, Hashable, CaseIterable {
        /// What the source of each generation has (docs/law/tls.md#suites,
        /// docs/law/tls.md#suites-without-forward-secrecy).
        case published
        /// The eleven of the technical note of 2015, which the documentation still shows.
        case documented
    }

    /// The readings of C16.
    public enum LocalNames: String, Sendable, Hashable, CaseIterable {
        /// By default, as Apple's page on NSAllowsLocalNetworking says.
        case free
        /// Only once NSAllowsLocalNetworking is true: GitHub, cds-snc/covid-alert-app issue 540 (iOS
        /// 13.5), facebook/react-native issues 12754 (iOS 10) and 20207 (iOS 11.4); docs/law/addresses.md#local-names.
        case ask
    }

    /// The readings of C17.
    public enum LocalhostNames: String, Sendable, Hashable, CaseIterable {
        /// As on 26: GitHub, octo-agent issue 2368; docs/law/addresses.md#direct.
        case remote
        /// As the text `.localhost`, new in CFNetwork of 27, may mean (inferred): blacktop/ipsw-diffs, 26.5 to 27.0.
        case local
    }

    /// The readings of C18.
    public enum WebLocalTrust: String, Sendable, Hashable, CaseIterable {
        /// Only NSAllowsArbitraryLoadsInWebContent or an entry waives them, as one report of 2026 has it: GitHub, VelaTerm
        /// issue 77; docs/law/addresses.md#https-to-local-hosts.
        case strict
        /// What frees http frees https, as for other loaders.
        case free
    }

    /// The readings of the release note of iOS 17 (C2).
    public enum LinkedSDKReading: String, Sendable, Hashable, CaseIterable {
        /// The SDK that the bundle tells decides: below 17 the older law holds.
        case bundle
        /// Every app is judged as one that was linked with the newest SDK.
        case newest
    }

    /// The readings of C10.
    public enum InsecureTrust: String, Sendable, Hashable, CaseIterable {
        /// Only the app's own code may accept them, as the source and today's documentation say.
        case app
        /// They pass, as the archived documentation says.
        case any
    }

    public init(
        localNetworks: [AddressBlock] = JudgeSwitches.defaultLocalNetworks, builtInExceptions: Bool? = nil,
        strictIP: Bool? = nil, pinWhenATSOff: Bool = true
    ) {
        self.localNetworks = localNetworks
        self.builtInExceptions = builtInExceptions
        self.strictIP = strictIP
        self.pinWhenATSOff = pinWhenATSOff
    }

    /// Loopback, link-local, RFC 1918 and RFC 4193; neither 100.64.0.0/10 nor 0.0.0.0. Source: Security,
    /// SecProtocolConfigurationTest.m; docs/law/addresses.md#direct.
    public static let defaultLocalNetworks =
        onLink + ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"].compactMap { AddressBlock($0) }

    /// Every address: what the documentation says of NSAllowsLocalNetworking, taken by the word (documented;
    /// docs/law/addresses.md#local-networking-key).
    public static let allNetworks = ["0.0.0.0/0", "::/0"].compactMap { AddressBlock($0) }

    /// Addresses behind a carrier's translation, RFC 6598.
    static let sharedSpace = ["100.64.0.0/10"].compactMap { AddressBlock($0) }

    /// The part of the default that Apple's tests show to be direct (source; docs/law/addresses.md#direct).
    public static let onLink = ["127.0.0.0/8", "::1/128", "169.254.0.0/16", "fe80::/10"].compactMap { AddressBlock($0) }
}
