import Synchronization
public import Text

/// Remembers which addresses a command received for which names, to recognise the name of a connection to one of them.
/// Bounded: when it is full, the older half is forgotten.
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

    /// - Parameter limit: the most pairs of name and address to remember.
    public init(limit: Int = 16_384) {
        precondition(limit >= 2)
        half = limit / 2
    }

    /// True if the command received this address for this name.
    ///
    /// - Parameter host: in lower case, without a trailing dot.
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
