public import Text

/// A reading of the ATS rules that can be chosen: one row for each property of ``JudgeSwitches``.
///
/// The command line, the other readings and the contradictions are derived from these rows.
public struct JudgeSwitch: Sendable {
    /// As in `--reading name=value`.
    public let name: String
    /// The contradiction of docs/contradictions.md, or a topic of docs/law.
    public let source: String
    /// One sentence.
    public let summary: String
    /// The possible values; empty for lists.
    public let values: [String]
    /// The form of a value, for help.
    public let placeholder: String
    /// The default; nil if the release decides.
    public let standard: String?
    private let read: @Sendable (JudgeSwitches) -> String?
    private let write: @Sendable (inout JudgeSwitches, String) -> Bool

    /// The value in written form; nil if the release decides, or if it is a list without a name.
    public func value(in switches: JudgeSwitches) -> String? { read(switches) }

    /// Sets the property.
    ///
    /// - Returns: false if the value is not valid.
    public func set(_ value: String, in switches: inout JudgeSwitches) -> Bool { write(&switches, value) }

    /// - Parameter name: the name of a row, or a contradiction such as `C6`, which selects its row with that value.
    public static func named(_ name: String, for value: String) -> JudgeSwitch? {
        all.first { $0.name == name }
            ?? all.first { row in
                var switches = JudgeSwitches()
                return row.source.lowercased() == name.lowercased() && row.set(value, in: &switches)
            }
    }

    private typealias Path<Value> = any WritableKeyPath<JudgeSwitches, Value> & Sendable

    private init<Value>(
        _ name: String, _ source: String, _ path: Path<Value>, _ placeholder: String, _ values: [(String, Value)],
        _ summary: String
    ) where Value: Equatable & Sendable {
        self.name = name
        self.source = source
        self.summary = summary
        self.placeholder = placeholder
        self.values = values.map(\.0)
        read = { switches in values.first { $0.1 == switches[keyPath: path] }?.0 }
        write = { (switches: inout JudgeSwitches, text: String) in
            guard let value = values.first(where: { $0.0 == text }) else { return false }
            switches[keyPath: path] = value.1
            return true
        }
        standard = read(JudgeSwitches())
    }

    private init(
        list name: String, _ source: String, _ summary: String, placeholder: String = "list",
        read: @escaping @Sendable (JudgeSwitches) -> String?,
        write: @escaping @Sendable (inout JudgeSwitches, String) -> Bool
    ) {
        self.name = name
        self.source = source
        self.summary = summary
        self.placeholder = placeholder
        values = []
        self.read = read
        self.write = write
        standard = read(JudgeSwitches())
    }

    private static func choice<Value>(
        _ name: String, _ source: String, _ path: Path<Value>, _ placeholder: String, _ summary: String
    ) -> JudgeSwitch
    where Value: CaseIterable & RawRepresentable & Equatable & Sendable, Value.RawValue: CustomStringConvertible {
        JudgeSwitch(name, source, path, placeholder, Value.allCases.map { ("\($0.rawValue)", $0) }, summary)
    }

    private static func byRelease<Value>(
        _ name: String, _ source: String, _ path: Path<Value?>, _ placeholder: String, _ summary: String
    ) -> JudgeSwitch
    where Value: CaseIterable & RawRepresentable & Equatable & Sendable, Value.RawValue: CustomStringConvertible {
        JudgeSwitch(name, source, path, placeholder, Value.allCases.map { ("\($0.rawValue)", $0) }, summary)
    }

    private static func onOff(
        _ name: String, _ source: String, _ path: Path<Bool>, _ summary: String
    ) -> JudgeSwitch {
        JudgeSwitch(name, source, path, "on|off", [("on", true), ("off", false)], summary)
    }

    private static func byRelease(
        _ name: String, _ source: String, _ path: Path<Bool?>, _ summary: String
    ) -> JudgeSwitch {
        JudgeSwitch(name, source, path, "on|off", [("on", true), ("off", false)], summary)
    }

    public static let all: [JudgeSwitch] = [
        choice(
            "subdomain-depth", "C1", \.subdomainDepth, "depth",
            "How deep NSIncludesSubdomains reaches: one label, as documented, or any number."),
        JudgeSwitch(
            list: "local-nets", "C2",
            "Addresses that count as local: CIDR ranges and the words default (loopback, link-local, private), on-link "
                + "(loopback, link-local), any and none, separated by commas.",
            read: { $0.localNetworks == JudgeSwitches.defaultLocalNetworks ? "default" : nil },
            write: { (switches: inout JudgeSwitches, text: String) in
                guard let blocks = AddressBlock.list(text) else { return false }
                switches.localNetworks = blocks
                return true
            }),
        byRelease(
            "strict-ip", "C2", \.strictIP,
            "Whether an address, even a local one, needs NSAllowsLocalNetworking or an exception."),
        JudgeSwitch(
            list: "linked-sdk", "C2",
            "The SDK that the app was linked with, on which iOS 17's rule for addresses and 26's minimum of TLS 1.2 "
                + "depend: bundle, that of its Info.plist if known; newest; or a release such as ios18.5.",
            placeholder: "whose", read: { $0.linkedSDK.text },
            write: { (switches: inout JudgeSwitches, text: String) in
                guard let reading = JudgeSwitches.LinkedSDKReading(text) else { return false }
                switches.linkedSDK = reading
                return true
            }),
        choice(
            "sibling-keys", "C3", \.siblingKeys, "reading",
            "Whether NSAllowsLocalNetworking disables NSAllowsArbitraryLoads by its presence, or only when it is true."
        ),
        onOff(
            "key-size-without-pfs", "C4", \.keySizeWithoutForwardSecrecy,
            "Whether an entry with NSExceptionRequiresForwardSecrecy = false still requires ATS key lengths."),
        choice(
            "certificate-scope", "C5", \.certificateScope, "scope",
            "Certificates that must meet ATS key lengths and hashes: the chain below its anchor, or the leaf."),
        choice(
            "suite-list", "C6", \.suiteList, "list",
            "Offer the cipher suites of Apple's source code, by --os, or those that Apple documented in 2015."),
        byRelease("cbc-sha2", "C6", \.cbcSHA2, "Offer CBC suites with SHA-256 and SHA-384."),
        byRelease(
            "legacy-keys", "C8", \.legacyKeys, "Read keys in their NSThirdParty and NSTemporary spellings."),
        byRelease("address-keys", "C9", \.addressKeys, "Accept addresses as keys of NSExceptionDomains."),
        choice(
            "insecure-trust", "C10", \.insecureTrust, "whom",
            "Bad certificates that NSExceptionAllowsInsecureHTTPLoads accepts: app, those that the app's own code "
                + "accepts (see --app-overrides-trust), or any."),
        byRelease(
            "handshake-failure-code", "C14", \.apple.handshakeFailure, "number",
            "The code reported for TLS alert 40: -9824 or -9858."),
        byRelease(
            "untrusted-root-code", "C15", \.apple.untrustedRoot, "number",
            "The code reported for an untrusted root that a server sends, on a host where ATS is off: -9813 or -9807."),
        choice(
            "local-names", "C16", \.localNames, "reading",
            "Whether http to local names is allowed on iOS 10 to 13, or needs NSAllowsLocalNetworking."),
        choice(
            "localhost-names", "C17", \.localhostNames, "where",
            "Whether names below localhost, such as name.localhost, are remote or local from iOS 27 on."),
        choice(
            "web-local-trust", "C18", \.webLocalTrust, "reading",
            "Whether https of web content to a private address is judged strictly from iOS 26 on, or not."),
        JudgeSwitch(
            "device-kind", DocsSection.mediaInSimulator.rawValue, \.isSimulator, "kind",
            [("device", false), ("simulator", true)],
            "Judge as a device, or as a simulator, in which NSAllowsArbitraryLoadsForMedia does not allow http media."),
        byRelease(
            "built-in-exceptions", DocsSection.builtInExceptions.rawValue, \.builtInExceptions,
            "Apply Apple's built-in exceptions for its own hosts."),
        onOff(
            "pin-when-ats-off", DocsSection.withATSOff.rawValue, \.pinWhenATSOff,
            "Whether NSPinnedDomains applies if ATS is off for a host, which Apple does not document."),
        onOff(
            "hybrid-retry", DocsSection.hybridGroup.rawValue, \.hybridRetry,
            "Repeat a failed handshake without X25519MLKEM768, as 26 and later may do."),
        JudgeSwitch(
            list: "console-variants", DocsSection.consoleVariants.rawValue,
            "Variants of the device's log lines to show on the releases that have them: nsurlconnection, the line of an "
                + "app on NSURLConnection (11 to 15); strict-trust, the other trust line of 15; unified-log, additional "
                + "lines of the unified log (13 and later); web-view, the error in a web view of 9; or none.",
            read: { ConsoleVariant.text($0.apple.variants) },
            write: { (switches: inout JudgeSwitches, text: String) in
                guard let variants = ConsoleVariant.list(text) else { return false }
                switches.apple.variants = variants
                return true
            }),
    ]
}

extension AddressBlock {
    /// Reads CIDR ranges and words, separated by commas; nil if one is not valid.
    fileprivate static func list(_ text: String) -> [AddressBlock]? {
        var blocks: [AddressBlock] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            switch part {
            case "default": blocks += JudgeSwitches.defaultLocalNetworks
            case "on-link": blocks += JudgeSwitches.onLink
            case "any": blocks += JudgeSwitches.allNetworks
            case "none": continue
            default:
                guard let block = AddressBlock(String(part)) else { return nil }
                blocks.append(block)
            }
        }
        return blocks
    }
}

extension ConsoleVariant {
    /// Reads names separated by commas, or `none`; nil if one is not valid.
    fileprivate static func list(_ text: String) -> Set<ConsoleVariant>? {
        var variants: Set<ConsoleVariant> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) where part != "none" {
            guard let variant = ConsoleVariant(rawValue: String(part)) else { return nil }
            variants.insert(variant)
        }
        return variants
    }

    static func text(_ variants: Set<ConsoleVariant>) -> String {
        variants.isEmpty ? "none" : allCases.filter(variants.contains).map(\.rawValue).joined(separator: ",")
    }
}

/// A switch with a value.
public struct SwitchSetting: Sendable, Hashable {
    /// The name of a row of ``JudgeSwitch/all``.
    public let name: String
    public let value: String

    /// The setting in the form of the command line, for example `--reading strict-ip=off`.
    public var option: String { "--reading \(name)=\(value)" }

    fileprivate init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// - Parameter text: `name=value`, or a contradiction for the name, as in `C6=documented`.
    /// - Returns: nil if there is no such switch, or if it has no such value.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        var switches = JudgeSwitches()
        guard parts.count == 2, let row = JudgeSwitch.named(parts[0], for: parts[1]), row.set(parts[1], in: &switches)
        else { return nil }
        self.init(row.name, parts[1])
    }
}

extension JudgeSwitches {
    public mutating func take(_ setting: SwitchSetting) {
        _ = JudgeSwitch.all.first { $0.name == setting.name }?.set(setting.value, in: &self)
    }

    /// A change of one switch that some source supports.
    ///
    /// - Parameter value: nil for the other one of two values.
    func other(_ name: String, _ value: String? = nil) -> OtherReading { other([(name, value)]) }

    /// Changes of several switches together; the source is that of the first.
    func other(_ changes: [(name: String, value: String?)]) -> OtherReading {
        let rows = changes.compactMap { change in
            JudgeSwitch.all.first { $0.name == change.name }.map { ($0, change.value) }
        }
        let settings = rows.map { row, value in
            SwitchSetting(row.name, value ?? row.values.first { $0 != row.value(in: self) } ?? "")
        }
        var switches = self
        for setting in settings { switches.take(setting) }
        return OtherReading(settings: settings, source: rows.first?.0.source ?? "", switches: switches)
    }
}

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
