import Foundation
import GRDB
import Records
import Reporting
import Samples
import Testing

/// The kinds of store. What tests of this target ask of one, they ask of the other, and expect the same answer; what only
/// a file can be asked is in `ReportingTests`, what only a server can be asked in `FleetTests`.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case file
    /// Of several gates, on a server of PostgreSQL.
    case shared

    var testDescription: String { rawValue }

    /// Makes a store for one test, which is gone afterwards.
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

    /// The same, with loads that one gate has filed.
    func withStore<Answer>(of loads: [LoadRecord], _ body: (StoreReader) throws -> Answer) throws -> Answer {
        try withStore { store in
            try store.write(loads)
            return try body(store.reader)
        }
    }
}

/// A store of one test, to which loads come as gates bring them there, and which is changed as `atsgate recordings` does.
/// Loads need ids as gates make them.
protocol TestStore {
    /// For what the test makes besides.
    var folder: String { get }

    /// A new one.
    var reader: StoreReader { get throws }

    /// Files loads, which readers find then.
    ///
    /// - Parameter gate: which of several.
    func write(_ loads: [LoadRecord], gate: Int) throws

    /// Names a recording to which no load has come yet.
    func begin(_ recording: String) throws

    func rename(_ recording: String, to new: String) throws

    /// - Returns: how many loads went.
    func delete(_ recordings: [String]) throws -> Int

    /// - Returns: how many loads went.
    func prune(olderThan age: Duration) throws -> Int

    /// Takes in what was exported.
    ///
    /// - Returns: names of recordings, and how many loads they have.
    func takeIn(_ file: String, as newName: String?) throws -> (names: [String], loads: Int)

    /// How many rows a table has; those of the names here are in both kinds.
    func rows(of table: String) throws -> Int

    func close()
}

extension TestStore {
    func write(_ loads: [LoadRecord]) throws { try write(loads, gate: 0) }

    func path(_ name: String) -> String { folder + "/" + name }
}

/// A file, into which gates file.
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

    func takeIn(_ file: String, as newName: String?) throws -> (names: [String], loads: Int) {
        try StoreEditor(path: path).takeIn(file, as: newName)
    }

    func rows(of table: String) throws -> Int {
        try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } ?? 0
    }

    func close() { for sink in gates.values { try? sink.close() } }
}
