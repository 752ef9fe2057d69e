import ATSPolicy
import Declarations
import Foundation
import Records
import Reporting

/// The loads of a report: those of the store, or a copy of them with masked names.
struct ReportSource {
    let reader: StoreReader
    /// The filter for its loads.
    let filter: RecordFilter
    /// The mask, which also applies to names of recordings; nil for unmasked loads.
    let names: NameMask?
    /// Masks the names of a dictionary like the store.
    private let stored: @Sendable (Declaration) -> Declaration
    /// Files of dictionaries by their tokens.
    private let sources: [String: String]

    /// Calls `body` with the loads that match `filter`, masked if requested.
    ///
    /// - Parameter names: nil for the names in the store.
    static func with<Answer>(
        _ filter: RecordFilter, of reader: StoreReader, masking names: NameMask?,
        _ body: (ReportSource) throws -> Answer
    ) throws -> Answer {
        let storeNames = try MaskFile.mask(beside: reader.path)
        let hosts = try storeNames == nil ? [] : reader.hostNames(of: filter.recordings)
        let stored: @Sendable (Declaration) -> Declaration = {
            storeNames?.declaration($0, meeting: hosts) ?? $0
        }
        guard let names else {
            return try body(ReportSource(reader: reader, filter: filter, names: nil, stored: stored, sources: [:]))
        }
        let copy = try maskedCopy(of: filter, from: reader, masking: names)
        return try body(
            ReportSource(
                reader: copy.reader, filter: RecordFilter(), names: names, stored: stored, sources: copy.sources))
    }

    /// Copies the loads that match `filter` into a temporary store, with masked names.
    ///
    /// - Returns: a reader of the copy, and the files of dictionaries by their tokens.
    static func maskedCopy(
        of filter: RecordFilter, from reader: StoreReader, masking names: NameMask
    ) throws -> (reader: StoreReader, sources: [String: String]) {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "records.sqlite")
        Drafts.begin(folder.path)
        defer {
            // The open file stays readable after its name is removed, and disappears however this ends.
            folder.remove()
            Drafts.end(folder.path)
        }
        let (_, sources) = try Progress.during("masking", of: reader.counter) {
            let copy = try StoreSink(path: path)
            defer { try? copy.close() }
            return try reader.copy(filter, masking: names, into: copy)
        }
        return (try StoreReader(path: path), sources)
    }

    /// The dictionary, with names like those of the loads; nil if it no longer exists.
    func dictionary(at path: String) -> Declaration? {
        (try? DeclarationReader.readOne(path: sources[path] ?? path)).map(masked)
    }

    /// Returns a dictionary with names like those of the loads.
    func masked(_ declaration: Declaration) -> Declaration {
        let stored = stored(declaration)
        return names?.declaration(stored) ?? stored
    }
}
