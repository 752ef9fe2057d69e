import Capture
import ProxyServer
import Text

/// What is told of names, to a command or to devices of a tunnel. A gate has one, whoever asks: it compares where clients
/// go with all that was told.
struct ToldNames {
    /// Those that the gate leads elsewhere need not be there.
    let chosen: ChosenNames
    let given = GivenNames()

    /// - Parameter settings: learn what is told, and where names of `--connect-to` lead.
    init(to settings: inout GateSettings) {
        chosen = ChosenNames(settings.connectTo)
        settings.connectTo += chosen.detours
        settings.addressBook = GivenAddresses(names: given)
    }
}

private struct GivenAddresses: AddressBook {
    let names: GivenNames

    /// - Returns: nil for what was not told: the gate's resolver may know that.
    func leads(_ name: String, to address: IPAddress) -> Bool? { names.leads(name, to: address) ? true : nil }
}
