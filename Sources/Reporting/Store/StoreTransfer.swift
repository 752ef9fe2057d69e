import GRDB
import Records

/// Copies loads from one store into another, row by row, to export and import recordings. Rows that a report could not read are
/// not copied.
struct StoreTransfer {
    /// How thoroughly a load is checked before it is copied.
    enum Validation {
        /// The load fits its form, and one load of that form could be decoded.
        case forms
        /// The load fits its form, and can itself be decoded.
        case loads
    }

    private let source: StoreReader
    private let care: Validation
    /// The new name of the only recording; nil to keep its name.
    private let newName: String?
    /// Forms of the source that were copied.
    private var forms: [Int64: Form] = [:]
    private var handshakes = HandshakeRows()
    private var tallies: [StoreTally.Key: StoreTally] = [:]

    /// A form in the new store.
    private struct Form {
        let row: Int64
        let key: StoreTally.Key
    }

    init(from source: StoreReader, care: Validation, as newName: String? = nil) {
        self.source = source
        self.care = care
        self.newName = newName
    }

    /// Copies the readable loads into the open transaction.
    ///
    /// - Returns: the number of copied loads, by recording.
    mutating func copy(_ filter: RecordFilter = RecordFilter(), into db: Database) throws -> [String: Int] {
        var insert = try LoadInsert(db)
        var check = RecordCheck()
        try source.forEachRow(matching: filter) { row, theirs, stored in
            let isKnown = forms[row.form] != nil
            let record = try isKnown && care == .forms ? nil : stored.record(row, in: theirs)
            if let record { try check.check(record, form: row.form) }
            let form = try forms[row.form] ?? self.form(of: row, in: theirs, &stored, into: db)
            let entry = Array(row.entry)
            if record == nil { try stored.check(row, in: theirs) }
            try insert.add(form: form.row, time: row.time, rule: row.ruleText, entry: entry)
            tallies[form.key, default: StoreTally(form.key)].add(time: row.time, seq: insert.last)
        }
        var counts: [String: Int] = [:]
        for tally in tallies.values {
            try tally.insert(into: db)
            counts[tally.key.recording, default: 0] += Int(tally.loads)
        }
        for empty in try source.emptyRecordings(filter.recordings) {
            try StoreWriter.begin(newName ?? empty.name, at: empty.first, in: db)
            counts[newName ?? empty.name, default: 0] += 0
        }
        return counts
    }

    private mutating func form(
        of row: ScannedRow, in theirs: any StoreView, _ stored: inout StoredForms, into db: Database
    ) throws -> Form {
        let form = try stored.form(of: row, in: theirs)
        let handshake = try stored.handshake(of: row, in: theirs)?.1
        let recording = newName ?? form.recording
        var text = String(decoding: form.text.text, as: UTF8.self)
        if let newName { text = RecordingName(form.recording).replaced(by: newName, in: text) }
        for value in [recording, form.host, form.os] where value.utf8.count > longestName {
            throw StoreError.unreadableRecord(id: row.id, cause: "a name has more than \(longestName) bytes")
        }
        try db.cachedStatement(
            sql: "INSERT INTO form (recording, host, verdict, os, text, handshake) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            recording, form.host, form.verdict, form.os, text, try handshake.map { try handshakes.row(of: $0, in: db) },
        ])
        let new = Form(
            row: db.lastInsertedRowID, key: StoreTally.Key(recording: recording, verdict: form.verdict))
        forms[row.form] = new
        return new
    }
}

extension StoreEditor {
    /// Imports all recordings of another store. If anything in that file is not as atsgate writes it, imports nothing.
    ///
    /// - Parameters:
    ///   - source: path of the other store.
    ///   - newName: a new name for its only recording; nil to keep the name.
    /// - Returns: the names here, and the number of loads.
    /// - Throws: ``StoreError``; also if a recording with that name exists.
    public func importRecordings(
        _ source: String, as newName: String? = nil
    ) throws(StoreError) -> (names: [String], loads: Int) {
        do {
            let reader = try StoreReader(path: source, counter: counter)
            let names = try reader.recordings().map(\.name)
            if newName != nil, names.count != 1 {
                throw StoreError.notOneRecording(path: source, count: names.count)
            }
            let wanted = newName.map { [$0] } ?? names
            let known = Set(try StoreReader(path: path).recordings().map(\.name))
            if let taken = wanted.first(where: known.contains) {
                throw StoreError.nameTaken(path: path, name: taken)
            }
            let counts = try database.writing(.otherStore) { db in
                var transfer = StoreTransfer(from: reader, care: .loads, as: newName)
                let counts = try transfer.copy(into: db)
                if let doubt = try reader.damage.examples.first ?? reader.doubt() {
                    throw StoreError.damaged(path: source, cause: "\(doubt); nothing was imported")
                }
                return counts
            }
            return (wanted, counts.values.reduce(0, +))
        } catch {
            throw StoreSchema.explained(error, path: source)
        }
    }
}

extension StoreReader {
    /// Recordings without loads.
    ///
    /// - Parameter names: empty for all recordings.
    func emptyRecordings(_ names: [String]) throws -> [RecordingSummary] {
        try recordings().filter { $0.loads == 0 && (names.isEmpty || names.contains($0.name)) }
    }

    /// The first fault of the store that copying all of its loads does not find; nil if there is none.
    fileprivate func doubt() throws -> String? {
        let tables = try StoreCheck(self, areLoadsRead: true)
        if let remark = tables.remarks.first { return remark }
        return tables.isSound ? nil : "some of it cannot be read"
    }

    /// Writes one recording to a new one-file store at `path`, to be shared.
    ///
    /// - Parameter path: an existing file is replaced.
    /// - Returns: the number of loads in it.
    /// - Throws: ``StoreError``.
    public func export(_ recording: String, to path: String) throws(StoreError) -> Int {
        do {
            try StoreFile.replaceWithEmpty(path)
            let copy = try StoreSink.open(path: path)
            var transfer = StoreTransfer(from: self, care: .forms)
            let counts = try copy.write(.otherStore) { try transfer.copy(RecordFilter(recording: recording), into: $0) }
            try StoreFile.settle(copy)
            try copy.close()
            return counts.values.reduce(0, +)
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }
}

/// In bytes: of the name of a recording, a host or a release.
private let longestName = 4096
