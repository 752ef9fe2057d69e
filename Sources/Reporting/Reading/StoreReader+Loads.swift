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
