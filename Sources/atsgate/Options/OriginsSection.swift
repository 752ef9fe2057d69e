import Dialing
import ProxyCore
import ProxyServer

/// How origins are found, believed and waited for.
enum OriginsSection: OptionSection {
    static let title = "Origins"

    static let options: [GateOption] = [
        GateOption(
            "connect-to", .parsed("host:port:addr:port", ConnectTo.init(argument:)), addsTo: \.settings.connectTo,
            "Connect to ADDR:PORT where a load asks for HOST:PORT."
        )
        .details(
            """
            As curl's option of that name: an empty HOST or PORT stands for any, an empty ADDR or PORT keeps what was \
            asked for; IPv6 addresses in brackets. Only the connection changes, not the name that is judged.
            """
        )
        .example("api.example.com:443:127.0.0.1:8443").often,
        GateOption("parent", .parent, maySet: \.settings.parent, "Reach origins through this proxy.")
            .details(
                """
                http loads are sent to it as absolute URLs, everything else through CONNECT tunnels; it also \
                resolves the names. Credentials are sent as Basic and are in no log or record; other users of this \
                machine can see them on a command line, but not in a configuration file. --connect-to is applied \
                first.
                """
            )
            .example("http://proxy.example.com:3128"),
        GateOption(
            "no-parent", .parsed("host,...", BypassList.init(argument:)), addsTo: \.bypasses,
            "Hosts to reach without --parent, in addition to those in NO_PROXY."
        )
        .details(
            """
            As in curl's NO_PROXY: example.com with all below it, addresses, ranges such as 10.0.0.0/8, * for all; \
            with :PORT for that port only.
            """
        )
        .example("localhost,.internal.example.com,10.0.0.0/8"),
        GateOption(
            "client-cert", .parsed("host[:port]=pem", ClientCertificateFile.init(argument:)),
            addsTo: \.settings.clientCertificates, "Client certificate for a host that asks for one."
        )
        .details(
            """
            A PEM file with the certificate, its chain and its key, which must not be encrypted. The host is exact, \
            or *.example.com for all below.
            """
        )
        .example("api.example.com=client.pem"),
        GateOption(
            "keep-alt-svc", .flag, sets: \.settings.rules.keepsAltSvc,
            "Pass Alt-Svc on as it came. Without it, alternatives in HTTP/3 are left out: they lead past the gate."),
        GateOption(
            "roots", .path("pem"), addsTo: \.settings.roots,
            "Trust these roots as the system's own, instead of the platform's bundle."
        )
        .example("roots.pem"),
        GateOption(
            "extra-ca", .path("pem"), addsTo: \.settings.extraCAs, "Trust these roots as installed by the user."
        )
        .example("staging-ca.pem"),
        GateOption(
            "ct-logs", .path(), maySet: \.settings.ctLogs,
            "Verify transparency timestamps against the logs of this list."
        )
        .details(
            """
            The JSON list that browsers publish (version 3: log_list.json, all_logs_list.json), or a CTLOG_FILE of \
            OpenSSL. Without a list, or with one that is 60 days old or older, timestamps are only counted, and too \
            few are a warning.
            """
        )
        .example("log_list.json"),
        GateOption("timeout", .timeouts, sets: \.timeouts, "Limits, one or several with commas between them.")
            .details(
                """
                connect: name lookup and connecting; handshake: TLS, on either side; head: a client's request head; \
                answer: an origin's first byte; idle: a connection or a body in which nothing moves; half-closed: \
                the answer to a client that has ended its side; keep-origin: an unused origin connection.
                """
            ),
        GateOption(
            "drain", .time, maySet: \.drain, "How long loads in flight may take when the gate stops."
        )
        .standard("\(TimeSpan(GateTimeouts().drain).text); for run \(TimeSpan(GateChoices.runDrain).text)")
        .example(TimeSpan(GateTimeouts().drain).text),
    ]
}

extension ValueKind<TimeoutList> {
    fileprivate static let timeouts = ValueKind(
        ValueForm(placeholder: "name=time,...", unit: TimeSpan.units),
        read: { (text: String) throws(ValueProblem) in try TimeoutList(argument: text) }, write: \.text)
}
