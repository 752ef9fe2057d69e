import ATSPolicy
import Declarations
import Records
import Reporting

/// The loads that a report tells of: those of the store, or a copy of them with masked names.
struct ReportSource {
    let reader: StoreReader
    /// Which of its loads are meant.
    let filter: RecordFilter
    /// The names of recordings are masked, too.
    let names: NameMask?
    /// The store's own, for dictionaries, which nobody has masked.
    private let storeNames: NameMask?
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
        guard let names else {
            return try body(
                ReportSource(reader: reader, filter: filter, names: nil, storeNames: storeNames, sources: [:]))
        }
        let store = try PassingStore()
        defer { store.remove() }
        let (_, sources) = try reader.export(filter, masking: names, to: store.path)
        return try body(
            ReportSource(
                reader: StoreReader(path: store.path), filter: RecordFilter(), names: names, storeNames: storeNames,
                sources: sources))
    }

    /// The dictionary as the loads are named; nil where it is gone.
    func dictionary(at path: String) -> Declaration? {
        (try? DeclarationReader.readOne(path: sources[path] ?? path)).map(masked)
    }

    /// A dictionary with the names that loads have here.
    func masked(_ declaration: Declaration) -> Declaration {
        let stored = storeNames?.declaration(declaration) ?? declaration
        return names?.declaration(stored) ?? stored
    }
}
