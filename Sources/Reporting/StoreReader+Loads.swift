import Foundation
import GRDB
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
        try forEachRow(matching: RecordFilter(recording: recording)) { row, db, forms in
            let stored = try forms.record(row, in: db)
            let (id, handshake) = try forms.handshake(of: row, in: db) ?? (nil, nil)
            loads.append(RecordedLoad(record: try ReportedLoad(stored), handshakeID: id, handshake: handshake))
            guard loads.count >= max(chunk, 1) else { return }
            try body(loads)
            loads.removeAll(keepingCapacity: true)
        }
        if !loads.isEmpty { try body(loads) }
    }
}

/// Handshakes of a store, each read once.
struct StoredHandshakes {
    private var handshakes: [Int64: RecordedHandshake] = [:]

    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` that names the load `id`.
    mutating func handshake(_ row: Int64, of id: String, in db: Database) throws -> RecordedHandshake {
        if let known = handshakes[row] { return known }
        let sql = "SELECT text FROM handshake WHERE id = ?"
        guard let text = try String.fetchOne(db, sql: sql, arguments: [row]) else {
            throw StoreError.unreadableRecord(id: id, cause: "its handshake is missing")
        }
        if handshakes.count >= limit { handshakes.removeAll(keepingCapacity: true) }
        do {
            let handshake = try JSONDecoder().decode(RecordedHandshake.self, from: Data(text.utf8))
            handshakes[row] = handshake
            return handshake
        } catch {
            throw StoreError.unreadableRecord(id: id, cause: "its handshake is damaged")
        }
    }
}

private let limit = 4096
