import Synchronization
public import Text

/// Which addresses a command was told for which names: a connection to one of them may well be for that name. Of old
/// ones the older half is forgotten, so that it stays bounded.
public final class GivenNames: Sendable {
    private struct Given: Hashable {
        let host: String
        let address: IPAddress
    }

    private struct State {
        var young: Set<Given> = []
        var old: Set<Given> = []
    }

    private let state = Mutex(State())
    private let half: Int

    /// - Parameter limit: so many pairs of a name and an address are remembered at most.
    public init(limit: Int = 16_384) {
        precondition(limit >= 2)
        half = limit / 2
    }

    /// Whether this name was told to lead there.
    ///
    /// - Parameter host: in lower case, without a dot at the end.
    public func leads(_ host: String, to address: IPAddress) -> Bool {
        let given = Given(host: host, address: address)
        return state.withLock { $0.young.contains(given) || $0.old.contains(given) }
    }

    package func note(_ host: String, _ addresses: [IPAddress]) {
        state.withLock { state in
            for address in addresses {
                if state.young.count >= half { (state.old, state.young) = (state.young, []) }
                state.young.insert(Given(host: host, address: address))
            }
        }
    }
}
