import Text

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
}

extension JudgeSwitch {
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
