import ATSPolicy
import Foundation
import GRDB
import Records

/// The readable and the unreadable parts of a store, found by reading every row of every table.
public struct StoreCheck: Sendable, Hashable {
    /// A table or a recording.
    public struct Part: Sendable, Hashable {
        public let name: String
        /// Rows that can be read.
        public var sound = 0
        /// Rows that cannot; rows on a damaged page of the file are not counted.
        public var unreadable = 0
    }

    public private(set) var tables: [Part] = []
    /// Sorted by name. Loads whose recording is unknown count only in ``tables``.
    public private(set) var recordings: [Part] = []
    /// Other faults, and the first unreadable rows, a sentence each.
    public private(set) var remarks: [String] = []

    /// True if everything can be read and the store's own counts are right.
    public var isSound: Bool { remarks.isEmpty && tables.allSatisfy { $0.unreadable == 0 } }

    /// Checks the store at `path`; a gate may record into it.
    ///
    /// - Throws: ``StoreError`` if the file is not a store.
    public init(path: String) throws(StoreError) {
        try self.init(StoreReader(path: path))
    }

    /// Checks the store of `reader`, which notes the unreadable parts.
    ///
    /// - Parameter areLoadsRead: true if the reader has read each load already.
    init(_ reader: StoreReader, areLoadsRead: Bool = false) throws(StoreError) {
        do {
            try reader.readFile { view in
                let db = view.db
                try lookAtPages(db)
                try lookAtHandshakes(db, reader.damage)
                try lookAtForms(db, reader.damage)
                if !areLoadsRead { try lookAtLoads(view, reader.damage) }
                try lookAtTallies(db, reader.damage)
                try lookAtMeta(db)
                try lookBeyond(db)
            }
        } catch {
            throw StoreSchema.explained(error, path: reader.path)
        }
        recordings.sort { $0.name < $1.name }
        remarks += reader.damage.examples
        if let summary = reader.damage.summary, remarks.isEmpty { remarks.append(summary) }
    }

    /// SQLite's own check of its pages and indexes. If it fails halfway, the rest of the check continues.
    private mutating func lookAtPages(_ db: Database) throws {
        do {
            try db.forEachRow("PRAGMA integrity_check(5)") { row in
                let words = try row.text(0)
                if words != "ok" { remarks.append("SQLite: \(words.replacing("\n", with: ": "))") }
                return true
            }
        } catch let error as DatabaseError where error.isDamage && !error.isOutOfSteps {
            remarks.append("SQLite: \(error.words)")
        }
    }

    private mutating func lookAtHandshakes(_ db: Database, _ damage: StoreDamage) throws {
        let walk = TableWalk(table: "handshake", number: "id", columns: "digest, text")
        tables.append(
            try look(walk, called: "handshakes", db, damage) { row in
                _ = try row.number(1)
                let text = Data(try row.bytes(2))
                guard (try? JSONDecoder().decode(RecordedHandshake.self, from: text)) != nil else {
                    throw StoreRow.Unreadable(description: "it is not a handshake")
                }
            })
    }

    private mutating func lookAtForms(_ db: Database, _ damage: StoreDamage) throws {
        let walk = TableWalk(table: "form", number: "id", columns: "recording, host, verdict, os, text, handshake")
        tables.append(
            try look(walk, called: "forms", db, damage) { row in
                for column in [1, 2, 4, 5] as [Int32] { _ = try row.text(column) }
                guard Verdict(rawValue: try row.text(3)) != nil else {
                    throw StoreRow.Unreadable(description: "it has an unknown verdict")
                }
                _ = try row.place(6)
            })
    }

    private mutating func lookAtLoads(_ view: SQLiteView, _ damage: StoreDamage) throws {
        var forms = StoredForms()
        var check = RecordCheck()
        var parts: [String: Part] = [:]
        tables.append(
            try look(.loads, called: "loads", view.db, damage) { row in
                let recording = (try? forms.form(row.number(1), in: view))?.recording
                do {
                    let row = try ScannedRow(row)
                    try check.check(forms.record(row, in: view), form: row.form)
                } catch {
                    if let recording { parts[recording, default: Part(name: recording)].unreadable += 1 }
                    throw error
                }
                if let recording { parts[recording, default: Part(name: recording)].sound += 1 }
            })
        recordings = Array(parts.values)
    }

    /// Compares the stored tallies with the loads.
    private mutating func lookAtTallies(_ db: Database, _ damage: StoreDamage) throws {
        var written: [StoreTally.Key: Int64] = [:]
        do {
            // A recording without loads has a tally of 0.
            for tally in try StoreTally.written(in: db) where tally.loads > 0 { written[tally.key] = tally.loads }
        } catch let error where error is StoreRow.Unreadable || (error as? DatabaseError)?.isDamage == true {
            remarks.append("the counts of recordings cannot be read: \((error as? DatabaseError)?.words ?? "\(error)")")
            return
        }
        var counted: [StoreTally.Key: Int64] = [:]
        for tally in try StoreTally.counted(in: db, noting: damage) { counted[tally.key] = tally.loads }
        for key in Set(written.keys).union(counted.keys) where written[key] != counted[key] {
            remarks.append(
                "\(key.recording): \(written[key] ?? 0) loads are counted as \(key.verdict), but there are "
                    + "\(counted[key] ?? 0)")
        }
    }

    /// Checks the row about the store itself.
    private mutating func lookAtMeta(_ db: Database) throws {
        do {
            if try SpoolState.read(in: db) == nil { remarks.append("meta: the store has no identity") }
        } catch let error where error is StoreRow.Unreadable || (error as? DatabaseError)?.isDamage == true {
            remarks.append("meta cannot be read: \((error as? DatabaseError)?.words ?? "\(error)")")
        }
    }

    /// Reports rows with numbers that no gate assigns, which no walk reads.
    private mutating func lookBeyond(_ db: Database) throws {
        for (table, number) in [("handshake", "id"), ("form", "id"), ("load", "seq")] {
            let sql = "SELECT count(*) FROM \(table) WHERE \(number) NOT BETWEEN ? AND ?"
            do {
                let count = try db.number(sql, [-endOfNumbers, endOfNumbers]) ?? 0
                if count > 0 { remarks.append("\(table): \(count) rows have numbers that no gate assigns") }
            } catch let error as DatabaseError where error.isDamage && !error.isOutOfSteps {
                // The walk over the table has reported the damaged page.
            }
        }
    }

    private func look(
        _ walk: TableWalk, called name: String, _ db: Database, _ damage: StoreDamage,
        _ body: (StoreRow) throws -> Void
    ) throws -> Part {
        var part = Part(name: name)
        try walk.forEach(in: db, noting: damage) { row in
            part.unreadable += 1
            try body(row)
            part.unreadable -= 1
            part.sound += 1
            return true
        }
        return part
    }
}
