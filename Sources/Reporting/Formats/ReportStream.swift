import Records
import Synchronization

/// A report that is produced piece by piece, on demand. A report with an item for each load is never in memory as a
/// whole.
///
/// No snapshot of the store is open between pieces, so a slow consumer delays neither its log nor its pruning. Loads
/// stored in the meantime are not included, and pruned ones are missing. A shared store is read once, at the beginning.
public final class ReportStream: Sendable {
    private let reader: StoreReader
    private let filter: RecordFilter
    private let rest: Mutex<Rest>

    /// The part that is not written yet.
    private enum Rest {
        case rows(RowReport)
        case text([UInt8])
        case nothing
    }

    /// - Throws: ``StoreError``.
    public init(
        _ reader: StoreReader, as format: ReportFormat, of filter: RecordFilter, _ context: ReportContext
    ) throws {
        switch format.writer {
        case .rows(let rows):
            let copy = try reader.source.copy(of: filter, counter: reader.counter)
            self.reader = copy.map { StoreReader($0, named: reader.path, counter: reader.counter) } ?? reader
            // A copy has only these loads, and does not know their gates.
            var filter = filter
            if copy != nil { filter.gates = [] }
            self.filter = filter
            let report = try self.reader.read(.loads(filter)) { try RowReport(rows, of: filter, context, in: $0) }
            rest = Mutex(.rows(report))
        case .whole:
            (self.reader, self.filter) = (reader, filter)
            var text: [UInt8] = []
            try reader.report(as: format, of: filter, context) { text += $0 }
            rest = Mutex(.text(text))
        }
    }

    /// True if there are no more pieces.
    public var isOver: Bool {
        rest.withLock { rest in
            if case .nothing = rest { return true }
            return false
        }
    }

    /// The next bytes; nil at the end. Blocks.
    ///
    /// - Throws: ``StoreError``.
    public func next() throws -> [UInt8]? {
        try rest.withLock { rest in
            let now = rest
            rest = .nothing
            switch now {
            case .rows(var report):
                let piece = try reader.read(.loads(filter)) { try report.piece(in: $0) }
                if !report.hasEnded { rest = .rows(report) }
                return piece
            case .text(let text): return text
            case .nothing: return nil
            }
        }
    }
}
