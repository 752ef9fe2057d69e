import Capture
import ControlPlane
import Foundation
import NetLoop
import ProxyCore
import ProxyServer
import Text

/// The DNS server for devices of a tunnel, from the options of a command; there is none without `--names`.
struct NamesListener {
    private let server: NameServer?

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - settings: get addresses for the names of `--connect-to`.
    ///   - names: those of a captured command; nil for a command that is not captured.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines can reach, without `--allow-lan`, or
    ///   that this machine does not have; with 69 for one that is in use.
    init(_ choices: GateChoices, telling settings: inout GateSettings, beside names: ChosenNames? = nil) throws {
        guard let address = choices.names else {
            server = nil
            return
        }
        try choices.checkReach(of: address)
        guard let port = UInt16(exactly: address.port), port > 0, IPAddress(host: address.host) != nil else {
            throw CommandFailure.usage("--names \(address.text.printable) is not an IP address with a port")
        }
        let deviceNames = DeviceNames(others: names ?? ChosenNames(&settings.connectTo))
        do throws(NetError) {
            server = try NameServer(at: address.host, port: port, asking: deviceNames)
        } catch {
            throw CommandFailure.listening(
                at: address.text, error, "names cannot be served at \(address.text): \(error)")
        }
    }

    func stop() { server?.stop() }
}

/// Names for devices. The gate's own name resolves to the gate. The names of iCloud Private Relay do not exist, which
/// is how a network turns it off for devices. Others are looked up. Source: Apple, Prepare your network or web server
/// for iCloud Private Relay, "Allow for network traffic audits".
struct DeviceNames: NameResolving {
    let others: any NameResolving

    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
        if host == OwnSite.name, let own = HostAddress(OwnSite.address.description) {
            return .known(.addresses([own]))
        }
        if AppleServices.isPrivateRelay(host) { return .known(.failed(code: EAI_NONAME)) }
        return others.answer(for: host, later: later)
    }
}
