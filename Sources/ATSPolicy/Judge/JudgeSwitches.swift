public import Text

/// Readings of the ATS rules on which the sources disagree or are silent. The defaults follow Apple's published source.
public struct JudgeSwitches: Sendable, Hashable {
    /// Addresses that count as *direct*. Apple's code for it is closed (inferred; docs/law/addresses.md#direct).
    public var localNetworks: [AddressBlock]
    /// Apple's own exceptions (docs/law/keys.md#built-in-exceptions); nil selects the release's default.
    public var builtInExceptions: Bool?
    /// C2: whether an address, even a direct one, needs NSAllowsLocalNetworking or an exception. nil selects the
    /// release's default: yes from 17 to 18.3, no since 18.4. Has no effect before 17.
    public var strictIP: Bool?
    /// The SDK that an app was linked with: before iOS 17, the older rules for addresses apply on 17 to 18.3 (C2);
    /// before 26, old TLS versions stay possible on 26 and later (docs/law/tls.md#system-floor).
    public var linkedSDK = LinkedSDKReading.bundle
    /// True if pins apply while ATS is off for the host, which Apple does not document (inferred;
    /// docs/law/pinning.md#with-ats-off).
    public var pinWhenATSOff: Bool
    /// C1: the depth of subdomains that an exception with NSIncludesSubdomains covers.
    public var subdomainDepth = SubdomainDepth.any
    /// C3: whether the presence or the value of NSAllowsLocalNetworking disables NSAllowsArbitraryLoads.
    public var siblingKeys = SiblingReading.presence
    /// C4: whether an entry without forward secrecy still requires keys of RSA 2048 or EC 256 bits.
    public var keySizeWithoutForwardSecrecy = true
    /// C5: the certificates that must meet ATS's minimums.
    public var certificateScope = CertificateScope.chain
    /// C6: the list of suites that is offered.
    public var suiteList = SuiteList.published
    /// C6: whether suites with CBC and SHA-256 or SHA-384 are offered; nil selects the list's default.
    public var cbcSHA2: Bool?
    /// C8: whether old spellings are accepted (docs/law/keys.md#old-spellings); nil selects the release's default.
    public var legacyKeys: Bool?
    /// C9: whether addresses in NSExceptionDomains count; nil selects the release's default.
    public var addressKeys: Bool?
    /// C10: the effect of NSExceptionAllowsInsecureHTTPLoads on bad certificates.
    public var insecureTrust = InsecureTrust.app
    /// C16: whether http to names without a dot and to `.local` is allowed on iOS 10 to 13 without
    /// NSAllowsLocalNetworking.
    public var localNames = LocalNames.free
    /// C17: whether names that end in `.localhost` are local since 27.
    public var localhostNames = LocalhostNames.remote
    /// C18: whether ATS applies to https to a private address in web content since 26.
    public var webLocalTrust = WebLocalTrust.strict
    /// True if a root that the release's own store lacks blocks from iOS 18 on, too
    /// (docs/law/trust.md#roots-by-release).
    public var strictRoots = false
    /// True if a device of 26 or later repeats a failed handshake without X25519MLKEM768, so that a server that fails
    /// the large hello still loads (inferred; docs/law/tls.md#hybrid-group).
    public var hybridRetry = false
    /// True to judge as a simulator does, in which NSAllowsArbitraryLoadsForMedia does not exempt media
    /// (docs/law/loaders.md#media-in-a-simulator).
    public var isSimulator = false
    /// C14, C15: the error codes that an app sees.
    public var apple = AppleReadings()

    /// The readings of C1.
    public enum SubdomainDepth: String, Sendable, Hashable, CaseIterable {
        /// One label, as in the documentation.
        case one
        /// Any number, as in the source of 18.4 and the older documentation.
        case any
    }

    /// The readings of C3.
    public enum SiblingReading: String, Sendable, Hashable, CaseIterable {
        /// Any value, as in the source of 18.4.
        case presence
        /// Only true, as in an archived edition of the documentation.
        case value
    }

    /// The readings of C5.
    public enum CertificateScope: String, Sendable, Hashable, CaseIterable {
        /// Every certificate below the anchor, as in Apple's policy.
        case chain
        /// The server's own, as in the documentation.
        case leaf
    }

    /// The readings of C6.
    public enum SuiteList: String, Sendable, Hashable, CaseIterable {
        /// The list in the source of each release (docs/law/tls.md#suites,
        /// docs/law/tls.md#suites-without-forward-secrecy).
        case published
        /// The eleven of the technical note of 2015, which the documentation still shows.
        case documented
    }

    /// The readings of C16.
    public enum LocalNames: String, Sendable, Hashable, CaseIterable {
        /// Allowed by default, as in Apple's page on NSAllowsLocalNetworking.
        case free
        /// Allowed only if NSAllowsLocalNetworking is true: GitHub, cds-snc/covid-alert-app issue 540 (iOS 13.5),
        /// facebook/react-native issues 12754 (iOS 10) and 20207 (iOS 11.4); docs/law/addresses.md#local-names.
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
        /// Only NSAllowsArbitraryLoadsInWebContent or an entry waives ATS, as in one report of 2026: GitHub, VelaTerm
        /// issue 77; docs/law/addresses.md#https-to-local-hosts.
        case strict
        /// A key that allows http also exempts https, as for other loaders.
        case free
    }

    /// The SDK by which rules apply that depend on it: iOS 17's on addresses (C2), and 26's on old TLS versions
    /// (docs/law/tls.md#system-floor).
    public enum LinkedSDKReading: Sendable, Hashable {
        /// The SDK named in the bundle; without one, the newest.
        case bundle
        /// Every app is judged as if linked with the newest SDK.
        case newest
        /// Every app is judged as if linked with this SDK.
        case version(LinkedSDK)

        init?(_ text: String) {
            switch text {
            case "bundle": self = .bundle
            case "newest": self = .newest
            default:
                // Apps linked with an SDK from before ATS have other rules, which no profile has.
                guard let sdk = LinkedSDK(text), OSRelease(sdk.platform, sdk.version) != nil else { return nil }
                self = .version(sdk)
            }
        }

        /// The form that ``init(_:)`` reads.
        var text: String {
            switch self {
            case .bundle: "bundle"
            case .newest: "newest"
            case .version(let sdk): sdk.name
            }
        }

        /// The SDK that the reading itself names.
        var named: LinkedSDK? {
            if case .version(let sdk) = self { sdk } else { nil }
        }

        /// Returns the SDK that decides; nil for the newest.
        func sdk(of bundle: LinkedSDK?) -> LinkedSDK? {
            switch self {
            case .bundle: bundle
            case .newest: nil
            case .version(let sdk): sdk
            }
        }
    }

    /// The readings of C10.
    public enum InsecureTrust: String, Sendable, Hashable, CaseIterable {
        /// Only the app's own code may accept them, as in the source and the current documentation.
        case app
        /// They are accepted, as in the archived documentation.
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

    /// All addresses: the documentation of NSAllowsLocalNetworking, read literally (documented;
    /// docs/law/addresses.md#local-networking-key).
    public static let allNetworks = ["0.0.0.0/0", "::/0"].compactMap { AddressBlock($0) }

    /// The part of the default that is direct in Apple's tests (source; docs/law/addresses.md#direct).
    public static let onLink = ["127.0.0.0/8", "::1/128", "169.254.0.0/16", "fe80::/10"].compactMap { AddressBlock($0) }
}
