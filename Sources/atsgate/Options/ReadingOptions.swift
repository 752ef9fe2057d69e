public import ATSPolicy
public import ArgumentParser
import Text

/// How the law is read where its sources disagree. Without an option: as `ats-semantics.md` section 12 decides.
struct ReadingOptions: ParsableArguments {
    @Option(help: "How deep NSIncludesSubdomains reaches: one label, as documented, or any (default: any).")
    var subdomainDepth: JudgeSwitches.SubdomainDepth?

    @Option(
        help: ArgumentHelp(
            "Addresses that count as local (default: default).",
            discussion: """
                CIDR ranges with commas between them, and the words default (loopback, link-local, private), on-link \
                (loopback, link-local), any, none.
                """,
            valueName: "list"),
        transform: { try LocalNetworkList($0) })
    var localNets: LocalNetworkList?

    @Option(
        help: "Whether an address, even a local one, needs NSAllowsLocalNetworking or an exception (default: by --os).")
    var strictIp: OnOff?

    @Option(
        help: ArgumentHelp(
            "Whether NSAllowsLocalNetworking disables NSAllowsArbitraryLoads by its presence or only when true.",
            discussion: "Default: presence."))
    var siblingKeys: JudgeSwitches.SiblingReading?

    @Option(
        name: .customLong("key-size-without-pfs"),
        help: ArgumentHelp(
            "Whether an entry with NSExceptionRequiresForwardSecrecy = false still asks for ATS's key lengths.",
            discussion: "Default: on."))
    var keySizeWithoutPFS: OnOff?

    @Option(help: "Which certificates have to meet ATS's key lengths and hashes (default: chain).")
    var certificateScope: JudgeSwitches.CertificateScope?

    @Option(
        help: ArgumentHelp(
            "Offer the suites of Apple's source, by --os, or those of Apple's documentation (default: published)."))
    var suiteList: JudgeSwitches.SuiteList?

    @Option(name: .customLong("cbc-sha2"), help: "Offer CBC suites with SHA-256 and SHA-384 (default: by --os).")
    var cbcSHA2: OnOff?

    @Option(help: "Read NSThirdParty and NSTemporary spellings (default: by --os).")
    var legacyKeys: OnOff?

    @Option(help: "Let addresses count as keys of NSExceptionDomains (default: by --os).")
    var addressKeys: OnOff?

    @Option(
        help: ArgumentHelp(
            "What NSExceptionAllowsInsecureHTTPLoads lets pass of bad certificates (default: app).",
            discussion: "app: what the app's own code accepts, see --app-overrides-trust; any: all of them."))
    var insecureTrust: JudgeSwitches.InsecureTrust?

    @Option(
        help: ArgumentHelp(
            "What TLS alert 40 is shown as: -9824 or -9858 (default: by --os).", valueName: "number"))
    var handshakeFailureCode: AppleReadings.HandshakeFailure?

    @Option(
        help: ArgumentHelp(
            "What a self-signed certificate is shown as where ATS does not insist: -9807 or -9813 (default: by --os).",
            valueName: "number"))
    var selfSignedCode: AppleReadings.SelfSigned?

    @Option(help: "Apply the exceptions that Apple builds in for its own hosts (default: by --os).")
    var builtInExceptions: OnOff?

    @Option(
        name: .customLong("pin-when-ats-off"),
        help: "Whether NSPinnedDomains holds where ATS is off for a host, which Apple does not say (default: on).")
    var pinWhenATSOff: OnOff?

    /// The switches of a judge.
    var switches: JudgeSwitches {
        var switches = JudgeSwitches()
        if let subdomainDepth { switches.subdomainDepth = subdomainDepth }
        if let localNets { switches.localNetworks = localNets.blocks }
        switches.strictIP = strictIp?.isOn
        if let siblingKeys { switches.siblingKeys = siblingKeys }
        if let keySizeWithoutPFS { switches.keySizeWithoutForwardSecrecy = keySizeWithoutPFS.isOn }
        if let certificateScope { switches.certificateScope = certificateScope }
        if let suiteList { switches.suiteList = suiteList }
        switches.cbcSHA2 = cbcSHA2?.isOn
        switches.legacyKeys = legacyKeys?.isOn
        switches.addressKeys = addressKeys?.isOn
        if let insecureTrust { switches.insecureTrust = insecureTrust }
        switches.apple = AppleReadings(handshakeFailure: handshakeFailureCode, selfSigned: selfSignedCode)
        switches.builtInExceptions = builtInExceptions?.isOn
        if let pinWhenATSOff { switches.pinWhenATSOff = pinWhenATSOff.isOn }
        return switches
    }
}

extension JudgeSwitches.SubdomainDepth: ExpressibleByArgument {}
extension JudgeSwitches.SiblingReading: ExpressibleByArgument {}
extension JudgeSwitches.CertificateScope: ExpressibleByArgument {}
extension JudgeSwitches.SuiteList: ExpressibleByArgument {}
extension JudgeSwitches.InsecureTrust: ExpressibleByArgument {}
extension AppleReadings.HandshakeFailure: ExpressibleByArgument {}
extension AppleReadings.SelfSigned: ExpressibleByArgument {}

/// `on` or `off`, where leaving an option out means a third thing.
enum OnOff: String, ExpressibleByArgument, CaseIterable {
    case on, off

    var isOn: Bool { self == .on }
}

/// What `--local-nets` takes.
struct LocalNetworkList: Sendable, Hashable {
    let blocks: [AddressBlock]

    /// - Throws: ``ValueProblem`` that names the part at fault.
    init(_ text: String) throws(ValueProblem) {
        var blocks: [AddressBlock] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            switch part {
            case "default": blocks += JudgeSwitches.defaultLocalNetworks
            case "on-link": blocks += JudgeSwitches.onLink
            case "any": blocks += JudgeSwitches.allNetworks
            case "none": continue
            default:
                guard let block = AddressBlock(String(part)) else {
                    throw ValueProblem(
                        "\"\(part)\" is no range such as 10.0.0.0/8, and none of default, on-link, any, none")
                }
                blocks.append(block)
            }
        }
        self.blocks = blocks
    }
}
