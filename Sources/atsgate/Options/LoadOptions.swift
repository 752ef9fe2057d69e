import ATSPolicy
import ArgumentParser
import ProxyCore
import ProxyServer
import Text

/// The treatment of loads, and hosts that are not decrypted.
struct LoadOptions: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "Block as a device would, or only record it.",
            discussion: """
                enforce blocks what a device would block; audit lets it pass and records that a device would block it. \
                witness decrypts nothing: each device does its TLS handshake with the server itself. Whether it \
                continues or closes the connection is recorded, and compared with the verdict at the end.
                """, valueName: "mode"))
    var mode = EnforcementMode.enforce

    @Option(
        help: ArgumentHelp(
            "How to block an https load.",
            discussion: """
                untrusted-leaf: with an untrusted certificate, so that a device reports -1200 [3:-9802]; alert: with \
                the TLS alert that makes a device report the right code; close: by closing the connection; mirror: \
                with a certificate that has the server's own defect (expired, wrong name, weak key), or as \
                untrusted-leaf if no certificate can have it. An http load always gets a 403 page.
                """, valueName: "style", visibility: .seldom))
    var refuse = RefusalStyle.untrustedLeaf

    @Option(
        help: ArgumentHelp(
            "How to treat clients that ATS does not govern on a device. (default: pass; for run --capture judge)",
            discussion: """
                They are recognized by their User-Agent: Safari and other browsers of an iPhone, iPad or Mac, and, \
                except with run, Dart, okhttp and Go, also by their ClientHello. pass: they are not judged, and are \
                recorded as outside; judge: they are judged as the app; hello: every client whose ClientHello is not \
                of Apple's TLS is outside, too, also with run. --assume overrides this.
                """, valueName: "what", visibility: .seldom))
    var outside: OutsideClients?

    @Option(
        help: ArgumentHelp(
            "Do not decrypt this host. (repeatable)",
            discussion: """
                An exact host, or *.example.com for all its subdomains. It is still judged, by a separate handshake of \
                the gate. apple means Apple's own services, which fail when they are decrypted; for clients on other \
                machines they are always passed through, unless none is given.
                Example: *.push.apple.com
                """, valueName: "host"),
        transform: PassthroughChoice.init(argument:))
    var passthrough: [PassthroughChoice] = []

    @Option(
        help: ArgumentHelp(
            "Stop decrypting a host for a client that pins it, or never.",
            discussion: """
                A client pins this host if it accepts the gate's certificates for other hosts and refuses this one \
                twice. For ten minutes, the host is then not decrypted for this client, and is judged by a separate \
                handshake of the gate. This is forgotten when the gate ends.
                """, valueName: "on|off", visibility: .seldom))
    var autoPassthrough = OnOff.on

    @Option(
        help: ArgumentHelp(
            "How to treat HTTP upgrades other than WebSocket, which is always relayed.",
            discussion: """
                relay: passed on, and once the server agrees, bytes are relayed unread; refuse: not passed on, so that \
                the server answers in HTTP/1.1; in HTTP/2 the gate answers 501 itself. An upgrade to h2c is never \
                passed on.
                """, valueName: "what", visibility: .seldom))
    var otherUpgrades = OtherUpgrades.relay

    @Option(
        help: ArgumentHelp(
            "How to treat tunnels that carry neither TLS nor HTTP, which ATS does not govern.",
            discussion: "relay: passed on unread and recorded as outside; refuse: closed and recorded as blocked.",
            valueName: "what", visibility: .seldom))
    var otherTraffic = OtherTraffic.relay

    func apply(to choices: inout GateChoices) {
        choices.settings.rules.mode = mode
        choices.settings.rules.refusal = refuse
        choices.outside = outside
        choices.passthrough = passthrough
        choices.settings.autoPassthrough = autoPassthrough == .on
        choices.settings.rules.otherUpgrades = otherUpgrades
        choices.settings.rules.otherTraffic = otherTraffic
    }
}

/// The decisions of the app's own code about certificates.
struct AppTrustOptions: GateOptionGroup {
    @Option(
        defaultAsFlag: TrustedHosts.everywhere, parsing: .next,
        help: ArgumentHelp(
            "The app's own code accepts certificates that the system rejects: for these hosts, or for all.",
            discussion: """
                Hosts separated by commas, exact or *.example.com for all below, or all. It applies only where ATS \
                lets an app do so: where an entry or NSAllowsArbitraryLoads turns ATS off. Records show that the app \
                accepted it.
                Example: dev.example.com,*.staging.example.com
                """, valueName: "domain,...", visibility: .seldom),
        transform: TrustedHosts.init(argument:))
    var appOverridesTrust: TrustedHosts?

    @Option(
        help: ArgumentHelp(
            "The app's own code accepts only this identity from the host, or any of several. (repeatable)",
            discussion: """
                A certificate file (PEM or DER), or sha256/ and the Base64 of the public key's SHA-256.
                Example: api.example.com=sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
                """, valueName: "host=identity", visibility: .seldom),
        transform: PinnedIdentity.init(argument:))
    var appPin: [PinnedIdentity] = []

    func apply(to choices: inout GateChoices) {
        if let appOverridesTrust { choices.settings.rules.appTrust.override = appOverridesTrust.override }
        choices.pins = appPin
    }
}
