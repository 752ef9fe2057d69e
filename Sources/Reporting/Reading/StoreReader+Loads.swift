import Records

extension StoreReader {
    /// Calls `body` with loads and their handshakes, some hundreds at a time, from one snapshot of the store. They come
    /// in stored order, which within one gate is the order of ids. Memory use stays constant.
    ///
    /// - Parameters:
    ///   - recording: the name of a recording; nil for all.
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
