import NetLoop
import Probe
import ProxyCore
import ProxyServer

extension GateChoices {
    /// The prober for these options.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a file that cannot be read.
    func prober(timeout: Duration, addresses: AddressChoice) throws(CommandFailure) -> Prober {
        let settings = try gateSettings()
        do throws(GateError) {
            var probing = ProbeSettings(trust: try settings.readTrust())
            let identities = try settings.readIdentities()
            probing.identity = { identities.identity(for: $0) }
            probing.planner = settings.dialPlanner
            probing.appTrust = settings.rules.appTrust
            probing.decrypted = settings.rules.decrypted
            probing.timeout = timeout
            probing.addresses = addresses
            return try Self.open(probing)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func open(_ settings: ProbeSettings) throws(GateError) -> Prober {
        do throws(NetError) {
            return try Prober(settings)
        } catch {
            throw .loop(error)
        }
    }
}
