import Bytes
import Records

/// A cache of a store's handshakes.
struct StoredHandshakes {
    private var handshakes = WeighedCache<Int64, RecordedHandshake?>(.rows, limit: 32 << 20, count: limit)

    /// - Returns: nil if it cannot be read, which is noted.
    mutating func handshake(_ row: Int64, in view: any StoreView) throws -> RecordedHandshake? {
        if let known = handshakes.value(for: row) { return known }
        let handshake = try view.handshake(row)
        handshakes.keep(handshake, for: row, bytes: handshake?.bytes ?? 0)
        return handshake
    }
}

private let limit = 8192
