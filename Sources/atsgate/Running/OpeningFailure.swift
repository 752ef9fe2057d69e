import Foundation
import NetLoop
import Onboarding
import ProxyServer
import Setup
import TLSEngine
import Text

extension CommandFailure {
    /// The reason why a gate could not be opened, with facts about the address.
    init(opening error: GateError) {
        switch error {
        case .listen(let address, .addressInUse):
            self.init(exitCode: error.exitCode, sentence: Self.owner(of: address) ?? error.sentence)
        case .authority(.unwritable):
            self.init(exitCode: error.exitCode, sentence: error.sentence + DataDirectory.advice)
        case .listen(_, .cannotListen(_, errno: EACCES)): self.init(error)
        case .lanNotAllowed(let address), .listen(let address, _):
            self =
                Self.isForeign(address)
                ? .usage("cannot listen on \(address): it is not an address of this machine") : CommandFailure(error)
        case .policy, .trust, .logs, .authority, .clientCertificate, .keyLog, .parentIsGate, .noRedirects,
            .loop, .tls:
            self.init(error)
        }
    }

    /// The error if another gate has the port; nil otherwise.
    private static func owner(of address: String) -> String? {
        guard let place = try? Authority(address[...]), case .gate(_, let policy) = GateProbe.ask(place) else {
            return nil
        }
        let law = policy.map { ", which enforces \($0)" } ?? ""
        return "\(address) is in use by another atsgate\(law), with its page at http://\(place)/: "
            + "choose another port with --listen, or port 0"
    }

    /// True for an IP address that this machine does not have.
    private static func isForeign(_ address: String) -> Bool {
        guard let place = try? Authority(address[...]), let host = IPAddress(place.host) else { return false }
        return !host.isUnspecified && !host.isLoopback && !InterfaceAddresses.current().contains(host)
    }
}
