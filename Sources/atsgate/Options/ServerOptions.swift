import ATSPolicy
import ArgumentParser
import Dialing
import ProxyCore
import ProxyServer

/// How servers are found and trusted.
struct ServerOptions: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "Connect to ADDR:PORT, not HOST:PORT. (repeatable)",
            discussion: """
                Like curl's option of that name: an empty HOST or PORT matches any, an empty ADDR or PORT keeps the \
                original; IPv6 addresses in brackets. Only the connection changes, not the name that is judged.
                Example: api.example.com:443:127.0.0.1:8443
                """, valueName: "host:port:addr:port"),
        transform: ConnectTo.init(argument:))
    var connectTo: [ConnectTo] = []

    @Option(
        help: ArgumentHelp(
            "Reach servers through this proxy.",
            discussion: """
                http loads are sent to it as absolute URLs, everything else through CONNECT tunnels; it also resolves \
                the names. Credentials are sent as Basic and are never logged or recorded; other users of this machine \
                can see them on a command line, but not in a configuration file. --connect-to is applied first.
                Example: http://proxy.example.com:3128
                """, valueName: "http://[user:pass@]host:port"),
        transform: { SecretValue($0, ParentProxy.init(argument:)) })
    var parent: SecretValue<ParentProxy>?

    @Option(
        help: ArgumentHelp(
            "Hosts to reach without --parent, in addition to those in NO_PROXY. (repeatable)",
            discussion: """
                As in curl's NO_PROXY: example.com and all below it, addresses, ranges such as 10.0.0.0/8, * for all; \
                with :PORT for that port only.
                Example: localhost,.internal.example.com,10.0.0.0/8
                """, valueName: "host,...", visibility: .seldom),
        transform: BypassList.init(argument:))
    var noParent: [BypassList] = []

    @Option(
        help: ArgumentHelp(
            "Client certificate for a host that requests one. (repeatable)",
            discussion: """
                A PEM file with the certificate, its chain and its key, which must not be encrypted. The host is \
                exact, or *.example.com for all below.
                Example: api.example.com=client.pem
                """, valueName: "host[:port]=pem", visibility: .seldom),
        transform: ClientCertificateFile.init(argument:))
    var clientCert: [ClientCertificateFile] = []

    @Option(
        help: ArgumentHelp(
            "Trust these roots as the system's own, instead of the platform's bundle. (repeatable)",
            discussion: "Example: roots.pem", valueName: "pem", visibility: .seldom),
        completion: .file(), transform: String.given)
    var roots: [String] = []

    @Option(
        help: ArgumentHelp(
            "Trust roots that the user installed. (repeatable)", discussion: "Example: staging-ca.pem",
            valueName: "pem"),
        completion: .file(), transform: String.given)
    var extraCA: [String] = []

    @Option(
        help: ArgumentHelp(
            "How to treat servers that a proxy after the gate decrypts: their loads are not judged.",
            discussion: """
                named: recognizes known tools by the names of their CAs, such as mitmproxy. infer: also recognizes a \
                CA that is not public and signed for several unrelated owners (inferred). judge: judges the proxy's \
                certificate and TLS as the server's.
                """, valueName: "what", visibility: .seldom))
    var decrypted = DecryptedOrigins.infer

    @Option(
        help: ArgumentHelp(
            "Verify transparency timestamps against this list of logs.",
            discussion: """
                The JSON list that browsers publish (version 3: log_list.json, all_logs_list.json), or a CTLOG_FILE of \
                OpenSSL. Without a list, or with one that is 60 days old or older, timestamps are only counted, and \
                too few are a warning.
                Example: log_list.json
                """, valueName: "path", visibility: .seldom),
        completion: .file(), transform: String.given)
    var ctLogs: String?

    func validate() throws { try parent?.check("--parent <http://[user:pass@]host:port>") }

    func apply(to choices: inout GateChoices) {
        choices.settings.connectTo = connectTo
        choices.settings.parent = parent?.value
        choices.bypasses = noParent
        choices.settings.clientCertificates = clientCert
        choices.settings.roots = roots
        choices.settings.extraCAs = extraCA
        choices.settings.rules.decrypted = decrypted
        choices.settings.ctLogs = ctLogs
    }
}

/// How a gate relays.
struct RelayOptions: GateOptionGroup {
    @Flag(
        help: ArgumentHelp(
            "Pass Alt-Svc on unchanged. Without it, HTTP/3 alternatives are removed, because they bypass the gate.",
            visibility: .seldom))
    var keepAltSvc = false

    @Option(
        help: ArgumentHelp(
            """
            Time limits, one or several separated by commas. (\(TimeSpan.units); default: \
            \(TimeoutList(of: GateSettings()).text); repeatable)
            """,
            discussion: """
                connect: name lookup and connecting; handshake: TLS, on either side; head: a client's request head; \
                answer: a server's first byte; idle: a connection or a body without data; half-closed: the answer to a \
                client that has closed its side; keep-origin: an unused server connection.
                Example: \(TimeoutList(of: GateSettings()).text)
                """, valueName: "name=time,...", visibility: .seldom),
        transform: TimeoutList.init(argument:))
    var timeout: [TimeoutList] = []

    @Option(
        help: ArgumentHelp(
            """
            How long loads in flight may take when the gate stops. (\(TimeSpan.units); default: \
            \(TimeSpan(GateTimeouts().drain)); for run \(TimeSpan(GateChoices.runDrain)))
            """, discussion: "Example: \(TimeSpan(GateTimeouts().drain))", valueName: "time", visibility: .seldom),
        transform: { try TimeSpan($0) })
    var drain: TimeSpan?

    func apply(to choices: inout GateChoices) {
        choices.settings.rules.keepsAltSvc = keepAltSvc
        for list in timeout { list.apply(to: &choices.settings) }
        choices.drain = drain?.duration
    }
}
