import ATSPolicy
import ProxyCore
import ProxyServer
import Text

/// What is done about a load that breaks the law.
enum LoadsSection: OptionSection {
    static let title = "What happens to loads"

    static let options: [GateOption] = [
        GateOption(
            "mode", .choice("mode"), sets: \.settings.rules.mode,
            "enforce refuses what a device would refuse; audit lets everything pass and records it as wouldBlock."
        )
        .details(
            """
            witness opens nothing, either: each device meets the origin itself, and what it does, to go on or to leave, \
            is recorded beside the verdict and compared at the end.
            """
        ).often,
        GateOption("refuse", .choice("style"), sets: \.settings.rules.refusal, "How an https load is refused.")
            .details(
                """
                untrusted-leaf: with a certificate that nobody trusts, so that a device reports -1200 [3:-9802]; \
                alert: with the TLS alert that leads to the wanted number; close: by closing the connection; mirror: \
                with a certificate that has the origin's own defect (expired, made for another name, a weak key), and \
                as untrusted-leaf where none can show it. An http load always gets a 403 page.
                """
            ).often,
        GateOption(
            "passthrough", .parsed("host|apple|none", PassthroughChoice.init(argument:)), addsTo: \.passthrough,
            "Do not decrypt this host."
        )
        .details(
            """
            Exact, or *.example.com for all below. It is still judged, by a handshake of the gate's own. apple stands \
            for Apple's own services, which break when they are decrypted; they are passed through for devices \
            anyhow, that is clients on other machines, unless none is said.
            """
        )
        .example("*.push.apple.com").often,
        GateOption(
            "auto-passthrough", .onOff, sets: \.settings.autoPassthrough,
            "Whether hosts that a client pins are passed through to it."
        )
        .details(
            """
            A client that takes the gate's certificates for other hosts and refuses that of one host twice pins it: \
            for ten minutes the host is not decrypted for this client, and judged by a handshake of the gate's own. \
            Nothing of this is kept when the gate ends.
            """),
        GateOption(
            "other-upgrades", .choice("what"), sets: \.settings.rules.otherUpgrades,
            "What becomes of HTTP upgrades other than WebSocket, which is always relayed."
        )
        .details(
            """
            relay: passed on, and once the origin agrees, bytes are relayed unread; refuse: not passed on, so that \
            the origin answers in HTTP/1.1; in HTTP/2 the gate answers 501 itself. An upgrade to h2c is never passed on.
            """),
        GateOption(
            "other-traffic", .choice("what"), sets: \.settings.rules.otherTraffic,
            "What becomes of tunnels that carry neither TLS nor HTTP, which ATS does not govern."
        )
        .details("relay: passed on unread and recorded as outside; refuse: closed and recorded as blocked."),
        GateOption(
            "app-overrides-trust", .trustOverride, sets: \.settings.rules.appTrust.override,
            "The app's own code accepts certificates that the system refuses: for these hosts, or for all."
        )
        .details(
            """
            Hosts with commas between them, exact or *.example.com for all below, or all. It counts only where ATS \
            lets an app do so: where an entry or NSAllowsArbitraryLoads switches it off. Records say that it was the \
            app.
            """
        )
        .example("dev.example.com,*.staging.example.com"),
        GateOption(
            "app-pin", .parsed("host=identity", PinnedIdentity.init(argument:)), addsTo: \.pins,
            "The app's own code accepts only this identity from the host; of several, any will do."
        )
        .details("A certificate file (PEM or DER), or sha256/ and the Base64 of the public key's SHA-256.")
        .example("api.example.com=sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
    ]
}
