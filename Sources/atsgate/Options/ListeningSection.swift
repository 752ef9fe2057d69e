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
            SOCKS5, without authentication; with transparent:// for connections that nft, iptables or pf redirect to it, whose \
            loads are judged once the listener has a label (see docs transparent). A label in front, as in phone-1=127.0.0.1:9811, stands in the records \
            and keeps several devices apart. Behind the address may stand what is said of the loads that come in \
            there, as in 127.0.0.1:9812,label=old-phone,os=ios12,policy=Old.plist,assume=media,outside=judge; it goes \
            before --os, --policy, --assume and --outside. A socket that a service manager hands to proxy \
            (LISTEN_FDS) takes the place of the one that would be opened at the same address.
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
            "Answer questions for names (DNS) here, by UDP and TCP, for the devices of a tunnel."
        )
        .details(
            """
            Addresses are those that this machine finds; atsgate.test leads to the gate's own pages, and the names that \
            begin iCloud Private Relay are not there. setup wireguard leads a device's questions to its line for it.
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
