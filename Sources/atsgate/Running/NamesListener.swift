import Capture
import ControlPlane
import Foundation
import NetLoop
import ProxyCore
import ProxyServer
import Text

/// Where devices of a tunnel ask for names, from the options of a command; without `--names` nowhere.
struct NamesListener {
    private let server: NameServer?

    /// Answers from here on.
    ///
    /// - Parameters:
    ///   - settings: learn what is told.
    ///   - told: to a command; nil where nothing is told to anybody yet.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines reach without `--allow-lan`, or that is not
    ///   this machine's, with 69 for one that is in use.
    init(_ choices: GateChoices, telling settings: inout GateSettings, beside told: ToldNames? = nil) throws {
        guard let address = choices.names else {
            server = nil
            return
        }
        try choices.checkReach(of: address)
        guard let port = UInt16(exactly: address.port), port > 0, IPAddress(host: address.host) != nil else {
            throw CommandFailure.usage("--names \(address.text.printable) is no address in numbers with a port")
        }
        let told = told ?? ToldNames(to: &settings)
        let names = DeviceNames(others: told.chosen)
        do throws(NetError) {
            server = try NameServer(at: address.host, port: port, asking: names, book: told.given)
        } catch {
            throw CommandFailure.listening(
                at: address.text, error, "names can not be answered at \(address.text): \(error)")
        }
    }

    func stop() { server?.stop() }
}

/// Names for devices: the gate's own leads to it, those that begin iCloud Private Relay are not there, which is how a
/// network tells devices to do without. Others are looked up. Source: Apple, Prepare your network or web server for iCloud
/// Private Relay, "Allow for network traffic audits".
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
