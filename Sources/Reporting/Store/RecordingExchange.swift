import Bytes
import Foundation
import GRDB
public import Records
import Synchronization
import Text

/// Recordings as JSON lines, the form in which people exchange them: docs/recordings.md#exchange.
///
/// The first line names the format: `{"atsgate":1}`. `{"recording":NAME,"begun":TIME}` begins a recording. A record is a
/// line as docs/record.md describes it, and ends with the key `handshake`, the number of its handshake. The handshake is
/// in a line before it, `{"handshake":NUMBER,"facts":{...}}`: each distinct one once, with all that is needed to judge
/// the load again.
enum RecordingExchange {
    static let version = 1
    /// The longest line, in bytes: a record has at most 24 KiB of its server.
    static let longestLine = 1 << 20
    /// The beginning of each exchanged file.
    static let beginning = "{\"atsgate\":"
}

extension StoreReader {
    /// Writes the loads that match `filter` as JSON lines.
    ///
    /// - Parameters:
    ///   - names: the mask for names; nil for none.
    ///   - write: called with the next bytes.
    /// - Returns: the number of loads.
    /// - Throws: ``StoreError``, and what `write` throws.
    public func export(
        _ filter: RecordFilter, masking names: NameMask? = nil, to write: ([UInt8]) throws -> Void
    ) throws -> Int {
        var lines = ExchangeWriter()
        for recording in try recordings()
        where filter.recordings.isEmpty || filter.recordings.contains(recording.name) {
            lines.begin(names?.recording(recording.name) ?? recording.name, at: recording.first)
        }
        var loads = 0
        try forEachRecord(of: filter, masking: names) { record in
            lines.add(record)
            loads += 1
            if lines.bytes.count >= pieceBytes { try write(lines.take()) }
        }
        try write(lines.take())
        return loads
    }

    /// Copies the loads that match `filter` into another store, with their names masked.
    ///
    /// - Returns: the number of loads, and the paths of their dictionaries by masked name.
    /// - Throws: ``StoreError``, and an error of the other store.
    public func copy(
        _ filter: RecordFilter, masking names: NameMask, into store: StoreSink
    ) throws -> (loads: Int, sources: [String: String]) {
        var sources: [String: String] = [:]
        var loads = 0
        var batch: [LoadRecord] = []
        for empty in try recordings()
        where empty.loads == 0 && (filter.recordings.isEmpty || filter.recordings.contains(empty.name)) {
            try store.begin(names.recording(empty.name), at: empty.first)
        }
        try forEachRecord(of: filter, masking: names) { record in
            batch.append(record)
            loads += 1
            guard batch.count >= batchLoads else { return }
            try store.write(batch)
            batch.removeAll(keepingCapacity: true)
        }
        try store.write(batch)
        for source in try overviews().reduce(into: Set<String?>(), { $0.formUnion($1.sources) }) {
            if let source { sources[names.file(source)] = source }
        }
        return (loads, sources)
    }

    private func forEachRecord(
        of filter: RecordFilter, masking names: NameMask?, _ body: (LoadRecord) throws -> Void
    ) throws {
        var mask = names.map { RowMask($0) }
        try forEach(matching: filter) { row in try body(mask?.record(of: row) ?? row.record()) }
    }
}

/// Masks the records of rows. The sentences of a diagnosis are masked once for all loads that share it.
private struct RowMask {
    private var mask: RecordMask
    private var known = WeighedCache<Key, (diagnosis: RecordedDiagnosis?, fields: [String])>(
        .masks, limit: 5 << 20, count: 4096)

    private struct Key: Hashable {
        let shared: Int64
        let diagnosis: Int64
    }

    init(_ names: NameMask) { mask = RecordMask(names) }

    mutating func record(of row: LoadRow) throws -> LoadRecord {
        var record = try row.record(isDiagnosed: false)
        guard let diagnosis = row.diagnosis else {
            mask.apply(to: &record)
            return record
        }
        let key = Key(shared: row.shared.number, diagnosis: diagnosis.number)
        let masked = try known.value(for: key) ?? masked(diagnosis, of: row, record, key)
        mask.apply(to: &record)
        record.diagnosis = masked.diagnosis.map {
            DiagnosisMarks.filled($0, url: record.load.url, task: row.columns.task)
        }
        record.masked += masked.fields.filter { !record.masked.contains($0) }
        return record
    }

    private mutating func masked(
        _ diagnosis: DiagnosisRow, of row: LoadRow, _ plain: LoadRecord, _ key: Key
    ) throws -> (diagnosis: RecordedDiagnosis?, fields: [String]) {
        var filled = try row.record()
        mask.apply(to: &filled)
        // With the marks, which masks leave alone.
        var marked = plain
        marked.diagnosis = diagnosis.diagnosis
        mask.apply(to: &marked)
        let bytes = (marked.diagnosis?.bytes ?? 0) + 512
        let new = (diagnosis: marked.diagnosis, fields: filled.masked)
        known.keep(new, for: key, bytes: bytes)
        return new
    }
}

extension StoreEditor {
    /// Imports all recordings of a file, of JSON lines or another store. If anything in it is not as atsgate writes it,
    /// the file is refused as a whole. Loads that the recording has already are not added again.
    ///
    /// - Parameters:
    ///   - source: path of the file.
    ///   - newName: a new name for its only recording, whose loads then have other ids; nil to keep the name.
    /// - Returns: the names here, the number of added loads, and of those that were here already.
    /// - Throws: ``StoreError``; also if a recording with that name has other loads only.
    public func importRecordings(
        _ source: String, as newName: String? = nil
    ) throws(StoreError) -> (names: [String], added: Int, known: Int) {
        do {
            let reader = try StoreReader(path: source, counter: counter)
            try reader.checkWhole()
            let theirs = try reader.recordings()
            if newName != nil, theirs.count != 1 {
                throw StoreError.notOneRecording(path: source, count: theirs.count)
            }
            let names = newName.map { [$0] } ?? theirs.map(\.name)
            let ours = StoreReader(FileSource(database))
            let ids = try names.map { try ours.ids(of: $0) }
            let (added, known) = try database.write { db in
                var writer = StoreWriter()
                var (added, known) = (0, 0)
                for (place, recording) in theirs.enumerated() {
                    try writer.begin(names[place], at: recording.first, in: db)
                    var batch: [LoadRecord] = []
                    let knownBefore = known
                    try reader.forEach(matching: RecordFilter(recording: recording.name)) { row in
                        let isRenamed = names[place] != recording.name
                        let id = isRenamed ? row.columns.id.ofCopy(in: names[place]) : row.columns.id
                        guard !ids[place].contains(id) else { return known += 1 }
                        var record = try row.record()
                        record.id = "\(id)"
                        record.recording = names[place]
                        batch.append(record)
                        guard batch.count >= batchLoads else { return }
                        try writer.write(batch, to: db)
                        added += batch.count
                        batch.removeAll(keepingCapacity: true)
                    }
                    try writer.write(batch, to: db)
                    added += batch.count
                    if !ids[place].isEmpty, known == knownBefore {
                        throw StoreError.nameTaken(path: path, name: names[place])
                    }
                }
                return (added, known)
            }
            return (names, added, known)
        } catch {
            throw StoreSchema.explained(error, path: source)
        }
    }
}

extension LoadID {
    /// The id of the load's copy in a recording of another name, the same for each import. A shared store has each id
    /// once.
    fileprivate func ofCopy(in recording: String) -> LoadID {
        LoadID(high: high, low: KeyedHash(high, low).digest(recording.utf8))
    }
}

extension StoreReader {
    /// The ids of the loads of a recording.
    fileprivate func ids(of recording: String) throws -> Set<LoadID> {
        var ids: Set<LoadID> = []
        let filter = RecordFilter(recording: recording)
        try read(.loads(filter)) { view in
            try view.forEach("seq, id", of: LoadQuery(filter, in: view)) { row in
                if let id = try row.id(1) { ids.insert(id) }
                return true
            }
        }
        return ids
    }

    /// Checks the whole store: SQLite's pages, and that each load can be read.
    ///
    /// - Returns: the number of loads.
    /// - Throws: ``StoreError/damaged(path:cause:)``.
    @discardableResult
    public func checkWhole() throws -> Int {
        try read(.recordings) { view in
            try view.db.forEachRow("PRAGMA quick_check(1)") { row in
                let words = try row.text(0)
                guard words == "ok" else { throw StoreError.damaged(path: path, cause: words) }
                return true
            }
        }
        var loads = 0
        try forEach(matching: RecordFilter()) { row in
            _ = try row.record()
            loads += 1
        }
        let counted = try recordings().reduce(0) { $0 + $1.loads }
        guard counted == loads else {
            throw StoreError.damaged(path: path, cause: "it counts \(counted) loads, but has \(loads)")
        }
        return loads
    }

    /// Reads a file of JSON lines into memory; nil if the file is not one.
    static func exchanged(_ path: String) throws -> StoreSink? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        let beginning = try file.read(upToCount: RecordingExchange.beginning.utf8.count) ?? Data()
        guard beginning.elementsEqual(RecordingExchange.beginning.utf8) else { return nil }
        let store = try StoreSink(limit: nil)
        var reader = ExchangeReader(path: path)
        var batch: [LoadRecord] = []
        try reader.forEach(recording: { try store.begin($0, at: $1) }) { record in
            batch.append(record)
            guard batch.count >= batchLoads else { return }
            try store.write(batch)
            batch.removeAll(keepingCapacity: true)
        }
        try store.write(batch)
        return store
    }
}

private let pieceBytes = 65_536
private let batchLoads = 1000
