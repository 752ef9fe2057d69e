import Foundation
import GRDB
import Records
import Reporting
import Samples
import TestSupport
import Testing

/// The kinds of store. Tests of this target run on both and expect equal results. Tests of files alone are in
/// `ReportingTests`, tests of servers alone in `FleetTests`.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case file
    /// A store of several gates, on a PostgreSQL server.
    case shared

    var testDescription: String { rawValue }

    /// Makes a store for one test, and deletes it afterwards.
    func withStore<Answer>(_ body: (any TestStore) throws -> Answer) throws -> Answer {
        try withFolder { folder in
            let store: any TestStore =
                switch self {
                case .file: FileStore(in: folder)
                case .shared: try SharedStore(in: folder)
                }
            defer { store.close() }
            return try body(store)
        }
    }

    /// Makes a store with loads that one gate has filed.
    func withStore<Answer>(of loads: [LoadRecord], _ body: (StoreReader) throws -> Answer) throws -> Answer {
        try withStore { store in
            try store.write(loads)
            return try body(store.reader)
        }
    }
}

/// A store for one test. Loads arrive as from gates, and changes are made as by `atsgate recordings`. Loads need ids in
/// the format of gates.
protocol TestStore {
    /// The folder for the test's other files.
    var folder: String { get }

    /// A new reader.
    var reader: StoreReader { get throws }

    /// Files loads, so that readers find them.
    ///
    /// - Parameter gate: The number of the gate.
    func write(_ loads: [LoadRecord], gate: Int) throws

    /// Starts a recording without loads.
    func begin(_ recording: String) throws

    func rename(_ recording: String, to new: String) throws

    /// - Returns: The number of deleted loads.
    func delete(_ recordings: [String]) throws -> Int

    /// - Returns: The number of deleted loads.
    func prune(olderThan age: Duration) throws -> Int

    /// Imports an exported file.
    ///
    /// - Returns: The names of the recordings, and the number of loads that the store did not have.
    func importRecordings(_ file: String, as newName: String?) throws -> (names: [String], added: Int)

    /// The number of rows in a table that both kinds have.
    func rows(of table: String) throws -> Int

    func close()
}

extension TestStore {
    func write(_ loads: [LoadRecord]) throws { try write(loads, gate: 0) }

    func path(_ name: String) -> String { folder + "/" + name }
}

extension Sequence<LoadRecord> {
    /// The records as JSON, to compare them.
    var texts: [String] { map { RecordJSON.text($0) } }
}

extension StoreReader {
    /// Exports recordings to a file of JSON lines.
    ///
    /// - Parameter recording: nil for all.
    /// - Returns: The number of loads.
    func export(_ recording: String? = nil, to file: String, masking names: NameMask? = nil) throws -> Int {
        var bytes: [UInt8] = []
        let count = try export(RecordFilter(recording: recording), masking: names) { bytes += $0 }
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return count
    }
}

/// A file that gates record into.
final class FileStore: TestStore {
    let folder: String
    private var path: String { path("store.db") }
    private var gates: [Int: StoreSink] = [:]

    init(in folder: String) { self.folder = folder }

    var reader: StoreReader { get throws { try StoreReader(path: path) } }

    func write(_ loads: [LoadRecord], gate: Int) throws { try sink(of: gate).write(loads) }

    func begin(_ recording: String) throws { try sink(of: 0).begin(recording) }

    private func sink(of gate: Int) throws -> StoreSink {
        if let sink = gates[gate] { return sink }
        let sink = try StoreSink(path: path)
        gates[gate] = sink
        return sink
    }

    func rename(_ recording: String, to new: String) throws { try StoreEditor(path: path).rename(recording, to: new) }

    func delete(_ recordings: [String]) throws -> Int { try StoreEditor(path: path).delete(recordings).loads }

    func prune(olderThan age: Duration) throws -> Int {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return try StoreEditor(path: path).prune([.age(age)], now: now).loads
    }

    func importRecordings(_ file: String, as newName: String?) throws -> (names: [String], added: Int) {
        let taken = try StoreEditor(path: path).importRecordings(file, as: newName)
        return (taken.names, taken.added)
    }

    func rows(of table: String) throws -> Int {
        try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } ?? 0
    }

    func close() { for sink in gates.values { try? sink.close() } }
}
