import GRDB
public import Records

/// Copies loads of one store into another with their names masked.
struct MaskedCopy {
    let names: NameMask
    /// Those of the store that were met. One that was forgotten meanwhile comes into the copy once more.
    private var forms: [Int64: Form] = [:]
    private var handshakes = HandshakeRows()
    private var tallies: [Tally.Key: Tally] = [:]
    /// Paths of dictionaries, by what stands for them.
    private(set) var sources: [String: String] = [:]

    /// A form in the new store, and what masks its entries.
    private struct Form {
        let row: Int64
        let key: Tally.Key
        var mask: StoredMask
    }

    private struct Tally {
        struct Key: Hashable {
            let recording: String
            let verdict: String
        }

        var loads: Int64 = 0
        var times: (first: Int64, last: Int64) = (.max, .min)
        var seqs: (first: Int64, last: Int64) = (.max, .min)
    }

    init(_ names: NameMask) {
        self.names = names
    }

    /// - Returns: how many loads came.
    mutating func copy(_ filter: RecordFilter, of reader: StoreReader, into db: Database) throws -> Int {
        var count = 0
        let insert = try LoadInsert(db)
        try reader.forEachRow(matching: filter) { row, source, stored in
            let number: Int64 = row[0]
            if forms[number] == nil {
                if forms.count >= formLimit { forms.removeAll(keepingCapacity: true) }
                forms[number] = try form(of: row, in: source, stored: &stored, into: db)
            }
            let entry: String = row[3]
            let masked = Array(entry.utf8).withUnsafeBufferPointer { forms[number]?.mask.entry($0) }
            guard let form = forms[number], let masked else { return }
            try insert.add(form: form.row, time: row[1], rule: row[2], entry: masked)
            count += 1
            add(time: row[1], seq: db.lastInsertedRowID, to: form.key)
        }
        for (key, tally) in tallies {
            try db.execute(
                sql: "INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    key.recording, key.verdict, tally.loads, tally.times.first, tally.times.last, tally.seqs.first,
                    tally.seqs.last,
                ])
        }
        return count
    }

    private mutating func add(time: Int64, seq: Int64, to key: Tally.Key) {
        var tally = tallies[key] ?? Tally()
        tally.loads += 1
        tally.times = (min(tally.times.first, time), max(tally.times.last, time))
        tally.seqs = (min(tally.seqs.first, seq), max(tally.seqs.last, seq))
        tallies[key] = tally
    }

    private mutating func form(
        of row: Row, in source: Database, stored: inout StoredForms, into db: Database
    ) throws -> Form {
        let record = try stored.record(row, in: source)
        let first = try ReportedLoad(record)
        let handshake = try stored.handshake(of: row, in: source)?.1
        let sql = "SELECT text FROM form WHERE id = ?"
        let text = try String.fetchOne(source, sql: sql, arguments: [row[0] as Int64]) ?? ""
        let form = RecordForm(text: Array(text.utf8), handshake: handshake)
        let mask = StoredMask(names, form: form, first: first, handshake: handshake)
        if let source = first.policy.source { sources[names.file(source)] = source }
        let recording = names.recording(record.recording)
        try db.execute(
            sql: "INSERT INTO form (recording, host, verdict, os, text, handshake) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                recording, names.host(record.host), record.verdict.rawValue, record.os,
                String(decoding: mask.form(form.text), as: UTF8.self),
                try handshake.map { try handshakes.row(of: names.handshake($0, of: record.host), in: db) },
            ])
        return Form(
            row: db.lastInsertedRowID, key: Tally.Key(recording: recording, verdict: record.verdict.rawValue),
            mask: mask)
    }
}

extension StoreReader {
    /// Makes a store at `path` of the loads that meet `filter`, with their names masked, and in one file.
    ///
    /// - Parameter path: what is there is replaced.
    /// - Returns: how many loads it holds, and the files of their dictionaries by what stands for them.
    /// - Throws: ``StoreError``.
    public func export(
        _ filter: RecordFilter, masking names: NameMask, to path: String
    ) throws(StoreError) -> (loads: Int, sources: [String: String]) {
        do {
            try StoreFile.makeAnew(path)
            let store = try StoreSink.open(path: path)
            var copy = MaskedCopy(names)
            let count = try store.write { try copy.copy(filter, of: self, into: $0) }
            try StoreFile.settle(store)
            try store.close()
            return (count, copy.sources)
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }
}

/// With two kilobytes for a long chain and what masks its entries, some dozen megabytes at most.
private let formLimit = 512
