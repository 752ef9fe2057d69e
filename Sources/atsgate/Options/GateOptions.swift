import ArgumentParser
import ProxyCore
import ProxyServer

/// What `proxy` and `run` share, as written on the command line or in a configuration file.
struct GateOptions: ParsableArguments {
    @OptionGroup(title: "The law") var law: LawOptions
    @OptionGroup(title: "What happens to loads") var enforcement: EnforcementOptions
    @OptionGroup(title: "Listening") var listening: ListeningOptions
    @OptionGroup(title: "Origins") var origins: OriginOptions
    @OptionGroup(title: "Files") var files: FileOptions

    // The last one, so that the command line wins over a file.
    @Flag(exclusivity: .chooseLast, help: "How much to say.")
    var verbosity: Verbosity?
}

/// What is done about a load that breaks the law.
struct EnforcementOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "enforce refuses what a device would refuse; audit lets everything pass and records it as wouldBlock.",
            valueName: "mode"))
    var mode: EnforcementMode = .enforce

    @Option(
        help: ArgumentHelp(
            "How an https load is refused.",
            discussion: """
                untrusted-leaf: with a certificate that nobody trusts, so that a device reports -1200 [3:-9802]; \
                alert: with the TLS alert that leads to the wanted number; close: by closing the connection; mirror: \
                with a certificate that has the origin's own defect (expired, made for another name, a weak key), and \
                as untrusted-leaf where none can show it. An http load always gets a 403 page.
                """,
            valueName: "style"))
    var refuse: RefusalStyle = .untrustedLeaf

    @Option(
        help: ArgumentHelp(
            "Do not decrypt this host; repeatable.",
            discussion: "Exact, or *.example.com for all below. It is still judged, by a handshake of the gate's own.",
            valueName: "host"),
        transform: HostPattern.init(argument:))
    var passthrough: [HostPattern] = []

    @Option(
        help: ArgumentHelp(
            "What becomes of HTTP upgrades other than WebSocket, which is always relayed.",
            discussion: """
                relay: passed on, and once the origin agrees, bytes are relayed unread; refuse: not passed on, so that \
                the origin answers in HTTP/1.1. An upgrade to h2c is never passed on.
                """,
            valueName: "what"))
    var otherUpgrades: OtherUpgrades = .relay

    @OptionGroup var app: AppOptions
}

/// Where clients come in.
struct ListeningOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Address to listen on; repeatable (default: 127.0.0.1:9802; for run: 127.0.0.1:0).",
            discussion: """
                Port 0 lets the system choose, see --port-file. With socks5:// in front it is for clients that speak \
                SOCKS5, without authentication. A label in front, as in phone-1=127.0.0.1:9811, is \
                told in the records and keeps several devices apart. Behind the address may stand what is said of \
                the loads that come in there, as in 127.0.0.1:9812,assume=media,label=tv; it goes before --assume.
                """,
            valueName: "[label=][socks5://]host:port[,...]"),
        transform: ListenAddress.init(argument:))
    var listen: [ListenAddress] = []

    @Option(
        help: ArgumentHelp(
            "Write the port here once the gate listens, one line per --listen; the file appears whole.",
            valueName: "path"))
    var portFile: String?

    @Flag(help: "Allow addresses that other machines can reach. Whoever reaches the gate can use it.")
    var allowLan = false

    @Option(help: ArgumentHelp("The web page. This version has none yet: only off is accepted.", valueName: "off"))
    var web: WebPage = .off
}

/// How origins are found, believed and waited for.
struct OriginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Connect to ADDR:PORT where a load asks for HOST:PORT; repeatable.",
            discussion: """
                As curl's option of that name: an empty HOST or PORT stands for any, an empty ADDR or PORT keeps what \
                was asked for; IPv6 addresses in brackets. Only the connection changes, not the name that is judged.
                """,
            valueName: "host:port:addr:port"),
        transform: ConnectTo.init(argument:))
    var connectTo: [ConnectTo] = []

    @OptionGroup var parent: ParentOptions

    @Option(
        help: ArgumentHelp(
            "Show this certificate to the host when it asks for one; repeatable.",
            discussion: """
                A PEM file with the certificate, its chain and its key, which must not be encrypted. The host is \
                exact, or *.example.com for all below.
                """,
            valueName: "host[:port]=pem"),
        transform: ClientCertificateFile.init(argument:))
    var clientCert: [ClientCertificateFile] = []

    @Flag(help: "Pass Alt-Svc on as it came. Without it, alternatives in HTTP/3 are left out: they lead past the gate.")
    var keepAltSvc = false

    @Option(
        help: ArgumentHelp(
            "Believe these roots as the system's own, in place of the platform's bundle; repeatable.",
            valueName: "pem"))
    var roots: [String] = []

    @Option(help: ArgumentHelp("Believe these roots as installed by the user; repeatable.", valueName: "pem"))
    var extraCa: [String] = []

    @Option(
        help: ArgumentHelp(
            "Verify transparency timestamps against the logs of this list.",
            discussion: """
                The JSON list that browsers publish (version 3: log_list.json, all_logs_list.json), or a CTLOG_FILE of \
                OpenSSL. Without one, and with a list of 60 days or more, timestamps are counted, and too few only \
                warned about.
                """,
            valueName: "path"))
    var ctLogs: String?

    @Option(
        help: ArgumentHelp(
            "Limits, as in connect=5s,handshake=10s; repeatable.",
            discussion: """
                connect (15s): name lookup and connecting; handshake (15s): TLS, on either side; head (30s): a \
                client's request head; answer (2m): an origin's first byte; idle (5m): a connection or a body in \
                which nothing moves; half-closed (900ms): the answer of a client that has ended its side; keep-origin (15s): an \
                unused origin connection. Units: ms, s, m, h.
                """,
            valueName: "name=time,..."),
        transform: { try TimeoutList($0) })
    var timeout: [TimeoutList] = []

    @Option(
        help: ArgumentHelp(
            "How long loads in flight may take when the gate is told to stop (default: 30s; for run: 5s).",
            valueName: "time"),
        transform: { try TimeSpan($0) })
    var drain: TimeSpan?
}

/// Files that are read and written.
struct FileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Directory of the local CA (default: the data directory, \(DataDirectory.path)).", valueName: "dir"))
    var caDir: String?

    @Option(
        help: ArgumentHelp(
            "SQLite file for the records, or none (default: records.sqlite in the data directory).", valueName: "path"),
        transform: StoreChoice.init(argument:))
    var store: StoreChoice?

    @Option(
        help: ArgumentHelp(
            "Append TLS secrets of both sides to this file, for Wireshark and its like.",
            discussion: "In the format of NSS's key log. Whoever has the file can read the traffic.",
            valueName: "path"))
    var keylog: String?

    @Option(help: ArgumentHelp("Name of this run in the records (default: the time it began).", valueName: "name"))
    var recording: String?

    @Option(help: ArgumentHelp("Also append records as JSON lines; - is standard output.", valueName: "path"))
    var json: String?

    @Option(
        help: ArgumentHelp(
            "Read options from a file, one option = value per line; the command line wins.",
            discussion: """
                The names are those of the long options without the dashes; # begins a comment. Options that may be \
                repeated add up, but for listen. See config/atsgate.conf.
                """,
            valueName: "path"))
    var config: String?
}
