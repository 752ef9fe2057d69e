import ControlPlane
import ProxyServer

/// The addresses that clients connect to.
enum ListeningSection: OptionSection {
    static let title = "Listening"

    static let options: [GateOption] = [
        GateOption(
            "listen", .parsed("[label=][socks5://|transparent://]host:port[,...]", ListenAddress.init(argument:)),
            addsTo: \.listeners, "Address to listen on."
        )
        .details(
            """
            Port 0 lets the system choose, see --port-file. socks5:// is for SOCKS5 clients, without authentication; \
            transparent:// is for connections that nft or iptables redirect on Linux, whose loads are judged once the \
            listener has a label (see atsgate explain transparent). A label, as in phone-1=127.0.0.1:9811, appears in \
            the records and distinguishes several devices. Settings for this listener can follow the address, as in \
            127.0.0.1:9812,label=old-phone,os=ios12,policy=Old.plist,assume=media,outside=judge; they override --os, \
            --policy, --assume and --outside. A socket that a service manager passes to proxy (LISTEN_FDS) replaces \
            the one at the same address; fd:NAME instead of host:port uses all sockets of that name (LISTEN_FDNAMES).
            """
        )
        .standard("\(ListenAddress().text); for run 127.0.0.1:0").example(ListenAddress().text).replacing.often,
        GateOption(
            "port-file", .path(), maySet: \.portFile,
            "Write the port to this file once the gate listens: one line per --listen, then that of --metrics."
        )
        .example("/tmp/atsgate.port"),
        GateOption(
            "names", .parsed("host:port", WebAddress.init(argument:)), maySet: \.names,
            "Serve DNS at this address, over UDP and TCP, for the devices of a tunnel."
        )
        .details(
            """
            Names resolve as on this machine; atsgate.test resolves to the gate's own pages, and the names of iCloud \
            Private Relay do not exist. setup wireguard prints the line for it and sends the devices' queries there.
            """
        )
        .standard("off").example("10.98.2.1:9853"),
        GateOption(
            "allow-lan", .flag, sets: \.settings.allowsLAN,
            "Allow addresses that other machines can reach; any of these machines can then use the gate."),
        GateOption(
            "allow-lan-to-host", .flag, sets: \.settings.allowsLANToHost,
            "With allow-lan: let other machines reach this machine's own addresses, including loopback."),
    ]
}
