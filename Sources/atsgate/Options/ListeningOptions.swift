import ArgumentParser
import ControlPlane
import ProxyServer

/// The addresses that clients connect to.
struct ListeningOptions: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "Listen here. (default: \(ListenAddress().text); repeatable)",
            discussion: """
                The default for run is 127.0.0.1:0. The form is [label=][socks5://|transparent://]host:port[,...]. Port 0 lets the system choose, see --port-file. socks5:// is for SOCKS5 clients, without \
                authentication; transparent:// is for connections that nft or iptables redirect on Linux, whose loads \
                are judged once the listener has a label (see atsgate explain transparent). A label, as in \
                phone-1=127.0.0.1:9811, appears in the records and distinguishes several devices. Settings for this \
                listener can follow the address, as in \
                127.0.0.1:9812,label=old-phone,os=ios12,policy=Old.plist,assume=media,outside=judge; they override \
                --os, --policy, --assume and --outside. A socket that a service manager passes to proxy (LISTEN_FDS) \
                replaces the one at the same address; fd:NAME instead of host:port uses all sockets of that name \
                (LISTEN_FDNAMES).
                Example: \(ListenAddress().text)
                """, valueName: "address"),
        transform: ListenAddress.init(argument:))
    var listen: [ListenAddress] = []

    @Option(
        help: ArgumentHelp(
            "Write the port to this file once the gate listens: one line per --listen, then that of --metrics.",
            discussion: "Example: /tmp/atsgate.port", valueName: "path", visibility: .seldom),
        completion: .file(), transform: String.given)
    var portFile: String?

    @Option(
        help: ArgumentHelp(
            "Serve DNS at this address, over UDP and TCP, for the devices of a tunnel. (default: off)",
            discussion: """
                Names resolve as on this machine; atsgate.test resolves to the gate's own pages, and the names of \
                iCloud Private Relay do not exist. setup wireguard prints the line for it and sends the devices' \
                queries there.
                Example: 10.98.2.1:9853
                """, valueName: "host:port", visibility: .seldom),
        transform: WebAddress.init(argument:))
    var names: WebAddress?

    @Flag(
        help: ArgumentHelp(
            "Let other machines on the network use the gate.",
            discussion: "Allows addresses that other machines can reach. Any of these machines can then use the gate."))
    var allowLAN = false

    @Flag(
        help: ArgumentHelp(
            "With allow-lan: let other machines reach this machine's own addresses, including loopback.",
            visibility: .seldom))
    var allowLANToHost = false

    func apply(to choices: inout GateChoices) {
        choices.listeners = listen
        choices.portFile = portFile
        choices.names = names
        choices.settings.allowsLAN = allowLAN
        choices.settings.allowsLANToHost = allowLANToHost
    }
}
