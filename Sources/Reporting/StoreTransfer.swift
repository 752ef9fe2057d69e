import Foundation
import GRDB

/// Copies recordings from one store into another: how they are exported and imported.
struct StoreTransfer {
    let database: DatabaseQueue
    /// Names of the recordings to copy.
    let recordings: [String]
    /// What the one recording is to be called; nil for its own name.
    let newName: String?

    /// Copies all or nothing.
    ///
    /// - Parameter source: path of a store.
    /// - Returns: how many loads came.
    func copy(from source: String) throws -> Int {
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS source", arguments: [source])
            defer { try? db.execute(sql: "DETACH source") }
            var count = 0
            try db.inTransaction(.immediate) {
                count = try copyRows(in: db)
                return .commit
            }
            return count
        }
    }

    private func copyRows(in db: Database) throws -> Int {
        let marks = "(\(recordings.map { _ in "?" }.joined(separator: ", ")))"
        let names = StatementArguments(recordings)
        let forms = try Int64.fetchOne(db, sql: "SELECT max(id) FROM form") ?? 0
        let loads = try Int64.fetchOne(db, sql: "SELECT max(seq) FROM load") ?? 0
        try db.execute(
            sql: """
                INSERT INTO handshake (digest, text) SELECT digest, text FROM source.handshake AS theirs
                WHERE id IN (SELECT handshake FROM source.form WHERE recording IN \(marks))
                AND NOT EXISTS (
                    SELECT 1 FROM main.handshake AS ours WHERE ours.digest = theirs.digest AND ours.text = theirs.text)
                """, arguments: names)
        try db.execute(
            sql: """
                INSERT INTO form (id, recording, host, verdict, os, text, handshake)
                SELECT id + ?, recording, host, verdict, os, text, (
                    SELECT ours.id FROM main.handshake AS ours
                    JOIN source.handshake AS theirs ON ours.digest = theirs.digest AND ours.text = theirs.text
                    WHERE theirs.id = form.handshake)
                FROM source.form AS form WHERE recording IN \(marks)
                """, arguments: [forms] + names)
        try rename(above: forms, in: db)
        try db.execute(
            sql: """
                INSERT INTO load (form, time, rule, entry) SELECT form + ?, time, rule, entry FROM source.load
                WHERE form IN (SELECT id FROM source.form WHERE recording IN \(marks)) ORDER BY seq
                """, arguments: [forms] + names)
        let count = db.changesCount
        try db.execute(sql: tallySQL, arguments: [loads])
        return count
    }

    private func rename(above first: Int64, in db: Database) throws {
        guard let newName, let old = recordings.first else { return }
        let sql = "SELECT id, text FROM form WHERE id > ?"
        for row in try Row.fetchAll(db, sql: sql, arguments: [first]) {
            try db.execute(
                sql: "UPDATE form SET recording = ?, text = ? WHERE id = ?",
                arguments: [newName, RecordingName(old).replaced(by: newName, in: row[1]), row[0] as Int64])
        }
    }
}

private let tallySQL = """
    INSERT INTO tally
    SELECT form.recording, form.verdict, count(*), min(load.time), max(load.time), min(load.seq), max(load.seq)
    FROM load JOIN form ON form.id = load.form WHERE load.seq > ? GROUP BY form.recording, form.verdict
    """

extension StoreEditor {
    /// Copies all recordings of another store into this one.
    ///
    /// - Parameters:
    ///   - source: path of the other store.
    ///   - newName: for the one recording that it holds; nil for its own.
    /// - Returns: their names here, and how many loads there are.
    /// - Throws: ``StoreError``; also when a name is taken, and nothing is copied then.
    public func takeIn(_ source: String, as newName: String? = nil) throws(StoreError) -> (names: [String], loads: Int)
    {
        do {
            let names = try StoreReader(path: source).recordings().map(\.name)
            if newName != nil, names.count != 1 {
                throw StoreError.notOneRecording(path: source, count: names.count)
            }
            let wanted = newName.map { [$0] } ?? names
            let known = Set(try StoreReader(path: path).recordings().map(\.name))
            if let taken = wanted.first(where: known.contains) {
                throw StoreError.nameTaken(path: path, name: taken)
            }
            let transfer = StoreTransfer(database: database, recordings: names, newName: newName)
            return (wanted, try transfer.copy(from: source))
        } catch {
            throw StoreSchema.explained(error, path: source)
        }
    }
}

extension StoreReader {
    /// Makes a store at `path` that holds one recording and is one file, for others to open.
    ///
    /// - Parameter path: what is there is replaced.
    /// - Returns: how many loads it holds.
    /// - Throws: ``StoreError``.
    public func export(_ recording: String, to path: String) throws(StoreError) -> Int {
        do {
            try StoreFile.makeAnew(path)
            let copy = try StoreSink.open(path: path)
            let transfer = StoreTransfer(database: copy, recordings: [recording], newName: nil)
            let count = try transfer.copy(from: database.path)
            try StoreFile.settle(copy)
            try copy.close()
            return count
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }
}
