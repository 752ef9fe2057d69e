import ControlPlane
import ProxyServer

/// Where clients come in.
enum ListeningSection: OptionSection {
    static let title = "Listening"

    static let options: [GateOption] = [
        GateOption(
            "listen", .parsed("[label=][socks5://|transparent://]host:port[,...]", ListenAddress.init(argument:)),
            addsTo: \.listeners, "Address to listen on."
        )
        .details(
            """
            Port 0 lets the system choose, see --port-file. With socks5:// in front it is for clients that speak \
            SOCKS5, without authentication; with transparent:// for connections that nft, iptables or pf redirect to \
            it, whose loads are judged once the listener has a label (see atsgate explain transparent). A label in \
            front, as in phone-1=127.0.0.1:9811, appears in the records and keeps several devices apart. Settings \
            for this listener can follow the address, as in \
            127.0.0.1:9812,label=old-phone,os=ios12,policy=Old.plist,assume=media,outside=judge; they override --os, \
            --policy, --assume and --outside. A socket that a service manager passes to proxy (LISTEN_FDS) replaces \
            the one that would be opened at the same address; fd:NAME in the place of host:port takes the sockets of \
            that name (LISTEN_FDNAMES), wherever they listen.
            """
        )
        .standard("\(ListenAddress().text); for run 127.0.0.1:0").example(ListenAddress().text).replacing.often,
        GateOption(
            "port-file", .path(), maySet: \.portFile,
            "Write the port here once the gate listens, one line per --listen, then that of --metrics; the file appears whole."
        )
        .example("/tmp/atsgate.port"),
        GateOption(
            "names", .parsed("host:port", WebAddress.init(argument:)), maySet: \.names,
            "Serve DNS here, by UDP and TCP, for the devices of a tunnel."
        )
        .details(
            """
            Names are resolved as on this machine; atsgate.test is the gate's own pages, and the names of iCloud \
            Private Relay do not exist. setup wireguard prints the line for it, and sends the devices' queries \
            there.
            """
        )
        .standard("off").example("10.98.2.1:9853"),
        GateOption(
            "allow-lan", .flag, sets: \.settings.allowsLAN,
            "Allow addresses that other machines can reach. Everybody who reaches the gate can use it."),
        GateOption(
            "allow-lan-to-host", .flag, sets: \.settings.allowsLANToHost,
            "With allow-lan: let other machines reach this one's own addresses, loopback too."),
    ]
}
