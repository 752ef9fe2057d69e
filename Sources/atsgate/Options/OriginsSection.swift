import Dialing
import ProxyCore
import ProxyServer

/// How origins are found and trusted, and the time limits for them.
enum OriginsSection: OptionSection {
    static let title = "Servers"

    static let options: [GateOption] = [
        GateOption(
            "connect-to", .parsed("host:port:addr:port", ConnectTo.init(argument:)), addsTo: \.settings.connectTo,
            "Connect to ADDR:PORT for loads to HOST:PORT."
        )
        .details(
            """
            Like curl's option of that name: an empty HOST or PORT matches any, an empty ADDR or PORT keeps the \
            original; IPv6 addresses in brackets. Only the connection changes, not the name that is judged.
            """
        )
        .example("api.example.com:443:127.0.0.1:8443").often,
        GateOption("parent", .parent, maySet: \.settings.parent, "Reach servers through this proxy.")
            .details(
                """
                http loads are sent to it as absolute URLs, everything else through CONNECT tunnels; it also resolves \
                the names. Credentials are sent as Basic and are never logged or recorded; other users of this machine \
                can see them on a command line, but not in a configuration file. --connect-to is applied first.
                """
            )
            .example("http://proxy.example.com:3128"),
        GateOption(
            "no-parent", .parsed("host,...", BypassList.init(argument:)), addsTo: \.bypasses,
            "Hosts to reach without --parent, in addition to those in NO_PROXY."
        )
        .details(
            """
            As in curl's NO_PROXY: example.com and all below it, addresses, ranges such as 10.0.0.0/8, * for all; \
            with :PORT for that port only.
            """
        )
        .example("localhost,.internal.example.com,10.0.0.0/8"),
        GateOption(
            "client-cert", .parsed("host[:port]=pem", ClientCertificateFile.init(argument:)),
            addsTo: \.settings.clientCertificates, "Client certificate for a host that requests one."
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
            "Pass Alt-Svc on unchanged. Without it, HTTP/3 alternatives are removed, because they bypass the gate."),
        GateOption(
            "roots", .path("pem"), addsTo: \.settings.roots,
            "Trust these roots as the system's own, instead of the platform's bundle."
        )
        .example("roots.pem"),
        GateOption(
            "extra-ca", .path("pem"), addsTo: \.settings.extraCAs, "Trust these roots as installed by the user."
        )
        .example("staging-ca.pem").often,
        GateOption(
            "decrypted", .choice("what"), sets: \.settings.rules.decrypted,
            "How to treat servers that a proxy after the gate decrypts: their loads are not judged."
        )
        .details(
            """
            named: recognizes known tools by the names of their CAs, such as mitmproxy. infer: also recognizes a CA \
            that is not public and signed for several unrelated owners (inferred). judge: judges the proxy's \
            certificate and TLS as the server's.
            """
        ),
        GateOption(
            "ct-logs", .path(), maySet: \.settings.ctLogs,
            "Verify transparency timestamps against this list of logs."
        )
        .details(
            """
            The JSON list that browsers publish (version 3: log_list.json, all_logs_list.json), or a CTLOG_FILE of \
            OpenSSL. Without a list, or with one that is 60 days old or older, timestamps are only counted, and too \
            few are a warning.
            """
        )
        .example("log_list.json"),
        GateOption("timeout", .timeouts, sets: \.timeouts, "Time limits, one or several separated by commas.")
            .details(
                """
                connect: name lookup and connecting; handshake: TLS, on either side; head: a client's request head; \
                answer: a server's first byte; idle: a connection or a body without data; half-closed: the answer to a \
                client that has closed its side; keep-origin: an unused server connection.
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
