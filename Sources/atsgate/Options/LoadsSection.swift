import ATSPolicy
import ProxyCore
import ProxyServer
import Text

/// How loads are judged, and what happens to those that break the rules.
enum LoadsSection: OptionSection {
    static let title = "What happens to loads"

    static let options: [GateOption] = [
        GateOption(
            "mode", .choice("mode"), sets: \.settings.rules.mode,
            "enforce blocks what a device would block; audit lets everything pass and records it as wouldBlock."
        )
        .details(
            """
            witness decrypts nothing: each device does its TLS handshake with the server itself. Whether it continues \
            or closes the connection is recorded, and compared with the verdict at the end.
            """
        ).often,
        GateOption("refuse", .choice("style"), sets: \.settings.rules.refusal, "How to block an https load.")
            .details(
                """
                untrusted-leaf: with an untrusted certificate, so that a device reports -1200 [3:-9802]; alert: with \
                the TLS alert that makes a device report the right code; close: by closing the connection; mirror: \
                with a certificate that has the server's own defect (expired, wrong name, weak key), or as \
                untrusted-leaf if no certificate can have it. An http load always gets a 403 page.
                """
            ),
        GateOption(
            "passthrough", .parsed("host|apple|none", PassthroughChoice.init(argument:)), addsTo: \.passthrough,
            "Do not decrypt this host."
        )
        .details(
            """
            An exact host, or *.example.com for all its subdomains. It is still judged, by a separate handshake of \
            the gate. apple means Apple's own services, which fail when they are decrypted; for clients on other \
            machines they are always passed through, unless none is given.
            """
        )
        .example("*.push.apple.com").often,
        GateOption(
            "auto-passthrough", .onOff, sets: \.settings.autoPassthrough,
            "Stop decrypting a host for a client that pins it, or never."
        )
        .details(
            """
            A client pins this host if it accepts the gate's certificates for other hosts and refuses this one twice. \
            For ten minutes, the host is then not decrypted for this client, and is judged by a separate handshake of \
            the gate. This is forgotten when the gate ends.
            """),
        GateOption(
            "other-upgrades", .choice("what"), sets: \.settings.rules.otherUpgrades,
            "How to treat HTTP upgrades other than WebSocket, which is always relayed."
        )
        .details(
            """
            relay: passed on, and once the server agrees, bytes are relayed unread; refuse: not passed on, so that the \
            server answers in HTTP/1.1; in HTTP/2 the gate answers 501 itself. An upgrade to h2c is never passed on.
            """),
        GateOption(
            "other-traffic", .choice("what"), sets: \.settings.rules.otherTraffic,
            "How to treat tunnels that carry neither TLS nor HTTP, which ATS does not govern."
        )
        .details("relay: passed on unread and recorded as outside; refuse: closed and recorded as blocked."),
        GateOption(
            "app-overrides-trust", .trustOverride, sets: \.settings.rules.appTrust.override,
            "The app's own code accepts certificates that the system rejects: for these hosts, or for all."
        )
        .details(
            """
            Hosts separated by commas, exact or *.example.com for all below, or all. It applies only where ATS lets an \
            app do so: where an entry or NSAllowsArbitraryLoads turns ATS off. Records show that the app accepted it.
            """
        )
        .example("dev.example.com,*.staging.example.com"),
        GateOption(
            "app-pin", .parsed("host=identity", PinnedIdentity.init(argument:)), addsTo: \.pins,
            "The app's own code accepts only this identity from the host, or any of several."
        )
        .details("A certificate file (PEM or DER), or sha256/ and the Base64 of the public key's SHA-256.")
        .example("api.example.com=sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
    ]
}
