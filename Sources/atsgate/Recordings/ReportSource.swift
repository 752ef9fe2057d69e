import ATSPolicy
import Declarations
import Foundation
import Records
import Reporting

/// The loads that a report tells of: those of the store, or a copy of them with masked names.
struct ReportSource {
    let reader: StoreReader
    /// Which of its loads are meant.
    let filter: RecordFilter
    /// The names of recordings are masked, too.
    let names: NameMask?
    /// What dictionaries, which nobody has masked, are called in the store.
    private let stored: @Sendable (Declaration) -> Declaration
    /// Files of dictionaries, by what stands for them.
    private let sources: [String: String]

    /// Calls `body` with the loads that meet `filter`, masked as asked.
    ///
    /// - Parameters:
    ///   - names: nil for what the store has.
    ///   - path: of the store.
    static func with<Answer>(
        _ filter: RecordFilter, of reader: StoreReader, at path: String, masking names: NameMask?,
        _ body: (ReportSource) throws -> Answer
    ) throws -> Answer {
        let storeNames = try MaskFile.mask(beside: path)
        let hosts = try storeNames == nil ? [] : reader.hostNames(of: filter.recordings)
        let stored: @Sendable (Declaration) -> Declaration = {
            storeNames?.declaration($0, meeting: hosts) ?? $0
        }
        guard let names else {
            return try body(ReportSource(reader: reader, filter: filter, names: nil, stored: stored, sources: [:]))
        }
        let store = try PassingStore()
        Drafts.begin(store.folder)
        defer {
            store.remove()
            Drafts.end(store.folder)
        }
        let (_, sources) = try Progress.during("masking", of: reader.counter) {
            try reader.export(filter, masking: names, to: store.path)
        }
        let copy = try StoreReader(path: store.path)
        // Read on without its name, so that it is gone however this ends.
        store.remove()
        return try body(
            ReportSource(reader: copy, filter: RecordFilter(), names: names, stored: stored, sources: sources))
    }

    /// The dictionary as the loads are named; nil where it is gone.
    func dictionary(at path: String) -> Declaration? {
        (try? DeclarationReader.readOne(path: sources[path] ?? path)).map(masked)
    }

    /// A dictionary with the names that loads have here.
    func masked(_ declaration: Declaration) -> Declaration {
        let stored = stored(declaration)
        return names?.declaration(stored) ?? stored
    }
}
