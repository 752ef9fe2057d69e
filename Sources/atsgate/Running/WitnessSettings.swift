import Dialing
import ProxyCore
import ProxyServer
import Text

extension GateSettings {
    /// True if the gate decrypts nothing and blocks nothing.
    var isWitness: Bool { rules.mode == .witness }

    /// The URLs that `/witness` makes a device load: redirected hosts, with the scheme of each port.
    var witnessedURLs: [String] {
        connectTo.compactMap { place in
            place.host.map { host in
                let isCleartext = place.port == 80
                let port = place.port.flatMap { [80, 443].contains($0) ? nil : $0 }
                return "\(isCleartext ? "http" : "https")://\(Authority(host: host, port: port))/"
            }
        }
    }

    /// Warnings about a gate in witness mode.
    var witnessRemarks: [String] {
        guard isWitness else { return [] }
        return [
            "warning: witness mode enforces nothing and decrypts nothing: every load passes, and what devices do is "
                + "recorded together with the verdict"
        ]
    }
}
