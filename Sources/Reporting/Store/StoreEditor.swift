import GRDB

/// Changes which recordings a store holds. A gate may record into it meanwhile.
public struct StoreEditor: Sendable {
    let path: String
    let database: StoreConnection
    /// Counts loads as they are taken in or out.
    public let counter = WorkCounter()

    /// - Throws: ``StoreError`` that names `path`, also when there is no file.
    public init(path: String) throws(StoreError) {
        self.path = path
        guard try StoreFile.isThere(path) else { throw .missing(path: path) }
        database = try StoreSink.open(path: path)
    }

    /// Gives a recording another name, in its records too.
    ///
    /// - Parameter new: no recording may have it.
    /// - Throws: ``StoreError``; nothing is changed then.
    public func rename(_ old: String, to new: String) throws(StoreError) {
        try database.writing { db in
            var forms: [(id: Int64, text: String)] = []
            try db.forEachRow("SELECT id, text FROM form WHERE recording = ?", [old]) { row in
                // One that cannot be read keeps its name, and its loads cannot be read by any.
                if let text = try? row.text(1) { forms.append((try row.number(0), text)) }
                return true
            }
            for form in forms {
                let text = RecordingName(old).replaced(by: new, in: form.text)
                try db.execute(
                    sql: "UPDATE form SET recording = ?, text = ? WHERE id = ?", arguments: [new, text, form.id])
            }
            try db.execute(sql: "UPDATE tally SET recording = ? WHERE recording = ?", arguments: [new, old])
            try StoreGeneration.rise(in: db)
        }
    }

    /// Takes recordings out, and gives their room back to the disk.
    ///
    /// - Returns: how many loads went, and what became of their space.
    public func delete(_ recordings: [String]) throws(StoreError) -> (loads: Int, space: FreedSpace) {
        var loads = 0
        for recording in recordings {
            // In chunks: a gate that records into the store gets its turn in between.
            while true {
                let count = try database.writing { db in try Self.deleteSome(of: recording, in: db) }
                loads += count
                counter.add(count)
                if count < StorePruning.chunk { break }
            }
            try database.writing { db in
                // What the counts do not tell of.
                try StoreNumbers.keep(in: db)
                let rest = "DELETE FROM load WHERE form IN (SELECT id FROM form WHERE recording = ?)"
                try db.execute(sql: rest, arguments: [recording])
                loads += db.changesCount
                try db.execute(sql: "DELETE FROM form WHERE recording = ?", arguments: [recording])
                try db.execute(sql: "DELETE FROM tally WHERE recording = ?", arguments: [recording])
                try StorePruning.dropHandshakes(in: db)
            }
        }
        return (loads, try giveBack())
    }

    /// Takes out what `retentions` say, the oldest first, and gives the room back to the disk. Of a spool, what is not
    /// shipped stays, and a day of what is.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    /// - Returns: how many loads went, and what became of their space.
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
        return (loads, loads == 0 ? .returned : try giveBack())
    }

    private static func deleteSome(of recording: String, in db: Database) throws -> Int {
        let sql = """
            DELETE FROM load WHERE seq IN (
                SELECT seq FROM load WHERE seq BETWEEN (SELECT min(first_seq) FROM tally WHERE recording = ?)
                AND (SELECT max(last_seq) FROM tally WHERE recording = ?)
                AND form IN (SELECT id FROM form WHERE recording = ?) LIMIT ?)
            """
        try StoreNumbers.keep(in: db)
        try db.execute(sql: sql, arguments: [recording, recording, recording, StorePruning.chunk])
        return db.changesCount
    }

    private func giveBack() throws(StoreError) -> FreedSpace {
        counter.begin("writing the file anew")
        do { return try StoreSpace(database: database).giveBack() ? .returned : .kept } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }
}
