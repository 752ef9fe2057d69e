import Fleet
import Postgres
import Reporting
import Synchronization

/// The stores that a command reads: files, and shared stores by the name that `--store` shows.
enum ReadStores {
    /// Shared stores by name.
    private static let addresses = Mutex<[String: PostgresAddress]>([:])

    /// - Returns: The path of a shared store for ``open(_:)``.
    static func name(of address: PostgresAddress) -> String {
        addresses.withLock { $0[address.shown] = address }
        return address.shown
    }

    /// The address of a shared store; nil for a file.
    static func address(of name: String) -> PostgresAddress? { addresses.withLock { $0[name] } }

    /// - Parameter path: a file, or a ``name(of:)``.
    static func open(_ path: String) throws(StoreError) -> StoreReader {
        guard let address = address(of: path) else { return try StoreReader(path: path) }
        return try StoreReader(address, dialing: SharedSource.dialingLimit, until: .now + SharedSource.commandLimit)
    }
}
