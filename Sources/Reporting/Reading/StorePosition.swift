/// The position of a load in its store. In a file, the number of its row. In a shared store, the time when the load
/// began and its id, which order the loads of all gates.
public struct StorePosition: Sendable, Hashable, CustomStringConvertible {
    /// The number of a row; or microseconds since 1970-01-01 UTC.
    package let number: Int64
    /// The 128 bits of a load's id; 0 in a file.
    package let id: UInt128

    package init(number: Int64, id: UInt128 = 0) {
        self.number = number
        self.id = id
    }

    /// - Parameter text: a ``description``.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let number = Int64(parts[0]), number >= 0 else { return nil }
        guard parts.count == 2 else {
            self.init(number: number)
            return
        }
        guard parts[1].utf8.count <= 32, let id = UInt128(parts[1], radix: 16) else { return nil }
        self.init(number: number, id: id)
    }

    /// True for a position in a shared store.
    public var isShared: Bool { id != 0 }

    /// A token from which a caller can continue, parsed by ``init(_:)``.
    public var description: String { id == 0 ? String(number) : "\(number)-\(String(id, radix: 16))" }
}
