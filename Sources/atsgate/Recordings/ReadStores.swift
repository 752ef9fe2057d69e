import Fleet
import Postgres
import Reporting
import Synchronization
import Text

/// The stores that a command reads. What of them cannot be read is told once, when the command ends: it has then told
/// all the rest, and does not end with 0.
enum ReadStores {
    private struct OpenStore {
        let path: String
        let reader: StoreReader
        let isMended: Bool
    }

    private static let all = Mutex<[OpenStore]>([])
    /// Stores that gates share, by what they are called.
    private static let addresses = Mutex<[String: PostgresAddress]>([:])

    /// - Returns: what ``open(_:isMended:)`` is to be given.
    static func name(of address: PostgresAddress) -> String {
        addresses.withLock { $0[address.shown] = address }
        return address.shown
    }

    /// Of a store that gates share; nil for a file.
    static func address(of name: String) -> PostgresAddress? { addresses.withLock { $0[name] } }

    /// - Parameters:
    ///   - path: of a file, or a ``name(of:)``.
    ///   - isMended: the command changes the store, and what cannot be read is no failure of it.
    static func open(_ path: String, isMended: Bool = false) throws(StoreError) -> StoreReader {
        let address = address(of: path)
        let reader = if let address { try StoreReader(address) } else { try StoreReader(path: path) }
        all.withLock { $0.append(OpenStore(path: path, reader: reader, isMended: isMended)) }
        return reader
    }

    /// Says what could not be read. Nothing of a shared store can be mended from here.
    ///
    /// - Returns: whether the command told less than it was asked for.
    static func tellDamage() -> Bool {
        let damaged = all.withLock { all in
            defer { all = [] }
            return all.filter { !$0.reader.damage.isEmpty }
        }
        var told: Set<String> = []
        for store in damaged where told.insert(store.path).inserted {
            let damage = store.reader.damage
            StandardError.say("atsgate: \(store.path.printable): \(damage.summary ?? "")")
            for example in damage.examples { StandardError.say("atsgate:   \(example.printable)") }
            guard store.reader.isFile else { continue }
            let command = "atsgate recordings check --repair --store \(store.path.shellWord)"
            StandardError.say("atsgate: this repairs it: \(command)")
        }
        return damaged.contains { !$0.isMended }
    }
}
