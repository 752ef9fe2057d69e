import Bytes
import Records

extension StoreReader {
    /// Hands over loads with their handshakes, some hundreds at a time, in the order filed, which within one gate is
    /// that of their ids. From one snapshot of the store; memory stays flat.
    ///
    /// - Parameters:
    ///   - recording: name of a run; nil for all.
    ///   - chunk: loads at a time.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``, and what `body` throws.
    public func forEachChunk(
        recording: String? = nil, of chunk: Int = 500, _ body: ([RecordedLoad]) throws -> Void
    ) throws {
        var loads: [RecordedLoad] = []
        try forEachRow(matching: RecordFilter(recording: recording)) { row, view, forms in
            loads.append(try forms.load(row, in: view))
            guard loads.count >= max(chunk, 1) else { return }
            try body(loads)
            loads.removeAll(keepingCapacity: true)
        }
        if !loads.isEmpty { try body(loads) }
    }
}

/// Handshakes of a store, each read once.
struct StoredHandshakes {
    private var handshakes = WeighedCache<Int64, RecordedHandshake?>(.rows, limit: 32 << 20, count: limit)

    /// - Returns: nil for one that cannot be read, which is noted.
    mutating func handshake(_ row: Int64, in view: any StoreView) throws -> RecordedHandshake? {
        if let known = handshakes.value(for: row) { return known }
        let handshake = try view.handshake(row)
        handshakes.keep(handshake, for: row, bytes: handshake?.bytes ?? 0)
        return handshake
    }
}

private let limit = 8192
