import Capture
import ProxyServer
import Text

/// The names that were given to a command or to devices of a tunnel. A gate has only one, because it compares the
/// destinations of clients with all names that it gave out.
struct ToldNames {
    /// Redirected names need not exist.
    let chosen: ChosenNames
    let given = GivenNames()

    /// - Parameter settings: receive the given names, and the targets of names of `--connect-to`.
    init(to settings: inout GateSettings) {
        chosen = ChosenNames(settings.connectTo)
        settings.connectTo += chosen.detours
        settings.addressBook = GivenAddresses(names: given)
    }
}

private struct GivenAddresses: AddressBook {
    let names: GivenNames

    /// - Returns: nil for a name that was not given out: the gate's resolver may know it.
    func leads(_ name: String, to address: IPAddress) -> Bool? { names.leads(name, to: address) ? true : nil }
}
