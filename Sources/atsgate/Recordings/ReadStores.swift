import Fleet
import Postgres
import Reporting
import Synchronization
import Text

/// The stores that a command reads. Unreadable parts are reported once, when the command ends; its exit code is then
/// not 0.
enum ReadStores {
    private struct OpenStore {
        let path: String
        let reader: StoreReader
        let changesStore: Bool
    }

    private static let all = Mutex<[OpenStore]>([])
    /// Shared stores by name.
    private static let addresses = Mutex<[String: PostgresAddress]>([:])

    /// - Returns: The path of a shared store for ``open(_:changesStore:)``.
    static func name(of address: PostgresAddress) -> String {
        addresses.withLock { $0[address.shown] = address }
        return address.shown
    }

    /// The address of a shared store; nil for a file.
    static func address(of name: String) -> PostgresAddress? { addresses.withLock { $0[name] } }

    /// - Parameters:
    ///   - path: a file, or a ``name(of:)``.
    ///   - changesStore: true if the command changes the store, so that unreadable parts are not its failure.
    static func open(_ path: String, changesStore: Bool = false) throws(StoreError) -> StoreReader {
        let address = address(of: path)
        let reader =
            if let address {
                try StoreReader(address, dialing: SharedSource.dialingLimit, until: .now + SharedSource.commandLimit)
            } else { try StoreReader(path: path) }
        all.withLock { $0.append(OpenStore(path: path, reader: reader, changesStore: changesStore)) }
        return reader
    }

    /// Reports what could not be read. The rows of a file can be listed.
    ///
    /// - Returns: True if the command's output is incomplete.
    static func reportDamage() -> Bool {
        let damaged = all.withLock { all in
            defer { all = [] }
            return all.filter { !$0.reader.damage.isEmpty }
        }
        var told: Set<String> = []
        for store in damaged where told.insert(store.path).inserted {
            let damage = store.reader.damage
            StandardError.writeLine("atsgate: \(store.path.printable): \(damage.summary ?? "")")
            for example in damage.examples { StandardError.writeLine("atsgate:   \(example.printable)") }
            guard store.reader.isFile else { continue }
            let command = "atsgate recordings check --store \(store.path.shellWord)"
            StandardError.writeLine("atsgate: to count the damage: \(command)")
        }
        return damaged.contains { !$0.changesStore }
    }
}
