import GRDB

/// Renames, deletes, prunes and imports recordings of a store. A gate may record into it at the same time.
public struct StoreEditor: Sendable {
    let path: String
    let database: StoreConnection
    /// Counts loads while they are imported or deleted.
    public let counter = WorkCounter()

    /// - Throws: ``StoreError`` that names `path`, also if the file does not exist.
    public init(path: String) throws(StoreError) {
        self.path = path
        guard try StoreFile.exists(path) else { throw .missing(path: path) }
        database = try StoreSink.open(path: path)
    }

    /// Renames a recording, also in its records.
    ///
    /// - Parameter new: a name that no recording has.
    /// - Throws: ``StoreError``; the store is then unchanged.
    public func rename(_ old: String, to new: String) throws(StoreError) {
        try database.writing { db in
            try db.execute(sql: "UPDATE shared SET recording = ? WHERE recording = ?", arguments: [new, old])
            try db.execute(sql: "UPDATE recording SET name = ? WHERE name = ?", arguments: [new, old])
            try StoreGeneration.rise(in: db)
        }
    }

    /// Deletes recordings and returns their space to the disk.
    ///
    /// - Returns: the number of deleted loads, and what happened to their space.
    public func delete(_ recordings: [String]) throws(StoreError) -> (loads: Int, space: FreedSpace) {
        var loads = 0
        for recording in recordings {
            // In chunks, so that a gate that records into the store can write in between.
            while true {
                let count = try database.writing { db in try Self.deleteSome(of: recording, in: db) }
                loads += count
                counter.add(count)
                if count < StorePruning.chunk { break }
            }
            try database.writing { db in
                let ofRecording = "IN (SELECT id FROM shared WHERE recording = ?)"
                // Loads that were recorded in the meantime.
                try db.execute(sql: "DELETE FROM load WHERE shared \(ofRecording)", arguments: [recording])
                loads += db.changesCount
                try db.execute(sql: "DELETE FROM tally WHERE shared \(ofRecording)", arguments: [recording])
                try db.execute(sql: "DELETE FROM recording WHERE name = ?", arguments: [recording])
                try StorePruning.dropUnusedRows(in: db)
            }
        }
        return (loads, try reclaimSpace())
    }

    /// Deletes the oldest loads until `retentions` are met, and returns the space to the disk. In a spool, loads that
    /// are not shipped stay, and so do those shipped within the last day.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    /// - Returns: the number of deleted loads, and what happened to their space.
    public func prune(
        _ retentions: [Retention], now: Int64
    ) throws(StoreError) -> (loads: Int, space: FreedSpace) {
        var loads = 0
        do {
            let isSpool = try database.read { try SpoolState.read(in: $0)?.isSpool ?? false }
            let pruning = StorePruning(database: database, isSpool: isSpool, counter: counter)
            for retention in retentions { loads += try pruning.prune(retention, now: now) }
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
        return (loads, loads == 0 ? .returned : try reclaimSpace())
    }

    private static func deleteSome(of recording: String, in db: Database) throws -> Int {
        let sql = """
            DELETE FROM load WHERE seq IN (
                SELECT load.seq FROM load, (
                    SELECT min(first_seq) AS first, max(last_seq) AS last FROM tally
                    WHERE shared IN (SELECT id FROM shared WHERE recording = ?)) AS ends
                WHERE load.seq BETWEEN ends.first AND ends.last
                    AND shared IN (SELECT id FROM shared WHERE recording = ?) LIMIT ?)
            """
        try StoreNumbers.keep(in: db)
        try db.execute(sql: sql, arguments: [recording, recording, StorePruning.chunk])
        return db.changesCount
    }

    private func reclaimSpace() throws(StoreError) -> FreedSpace {
        counter.begin("rewriting the file")
        do { return try StoreSpace(database: database).reclaimSpace() ? .returned : .kept } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }
}
