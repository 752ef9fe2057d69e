import Bytes
import GRDB
public import Records

/// Copies loads of one store into another with their names masked.
struct MaskedCopy {
    let names: NameMask
    /// Forms of the store that were copied. A form that this cache has dropped is copied a second time.
    private var forms = WeighedCache<Int64, Form>(.rows, limit: 32 << 20, count: formLimit)
    private var handshakes = HandshakeRows()
    private var tallies: [StoreTally.Key: StoreTally] = [:]
    /// Paths of dictionaries, by their masked names.
    private(set) var sources: [String: String] = [:]

    /// A form in the new store, and the mask for its entries.
    private final class Form {
        let row: Int64
        let key: StoreTally.Key
        var mask: StoredMask

        init(row: Int64, key: StoreTally.Key, mask: StoredMask) {
            self.row = row
            self.key = key
            self.mask = mask
        }
    }

    init(_ names: NameMask) {
        self.names = names
    }

    /// - Returns: the number of copied loads.
    mutating func copy(_ filter: RecordFilter, of reader: StoreReader, into db: Database) throws -> Int {
        var count = 0
        var insert = try LoadInsert(db)
        try reader.forEachRow(matching: filter) { row, source, stored in
            let form = try form(row.form, of: row, in: source, stored: &stored, into: db)
            try insert.add(form: form.row, time: row.time, rule: row.ruleText, entry: form.mask.entry(row.entry))
            count += 1
            tallies[form.key, default: StoreTally(form.key)].add(time: row.time, seq: insert.last)
        }
        for tally in tallies.values { try tally.insert(into: db) }
        for empty in try reader.emptyRecordings(filter.recordings) {
            try StoreWriter.begin(names.recording(empty.name), at: empty.first, in: db)
        }
        return count
    }

    private mutating func form(
        _ number: Int64, of row: ScannedRow, in source: any StoreView, stored: inout StoredForms, into db: Database
    ) throws -> Form {
        if let known = forms.value(for: number) { return known }
        let made = try form(of: row, in: source, stored: &stored, into: db)
        // An estimate that includes the mask for the entries.
        forms.keep(made, for: number, bytes: 16_384)
        return made
    }

    private mutating func form(
        of row: ScannedRow, in source: any StoreView, stored: inout StoredForms, into db: Database
    ) throws -> Form {
        let record = try stored.record(row, in: source)
        let first = try DecodedRecord(record)
        let handshake = try stored.handshake(of: row, in: source)?.1
        let form = RecordForm(text: try stored.form(of: row, in: source).text.text, handshake: handshake)
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
            row: db.lastInsertedRowID, key: StoreTally.Key(recording: recording, verdict: record.verdict.rawValue),
            mask: mask)
    }
}

extension StoreReader {
    /// Writes the loads that match `filter` to a new one-file store at `path`, with their names masked.
    ///
    /// - Parameter path: an existing file is replaced.
    /// - Returns: the number of loads, and the paths of their dictionaries by masked name.
    /// - Throws: ``StoreError``.
    public func export(
        _ filter: RecordFilter, masking names: NameMask, to path: String
    ) throws(StoreError) -> (loads: Int, sources: [String: String]) {
        do {
            try StoreFile.replaceWithEmpty(path)
            let store = try StoreSink.open(path: path)
            var copy = MaskedCopy(names)
            let count = try store.write(.otherStore) { try copy.copy(filter, of: self, into: $0) }
            try StoreFile.settle(store)
            try store.close()
            return (count, copy.sources)
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }
}

private let formLimit = 1024
