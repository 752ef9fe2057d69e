import Records
import Synchronization

/// A report that is made a piece at a time, as somebody takes it: one with something for each load never stands in
/// memory whole.
///
/// Between two pieces nothing of the store is held, so that whoever is slow to take them holds up neither its log nor
/// its pruning. What is filed meanwhile is no part of it, what is pruned is missing.
public final class ReportStream: Sendable {
    private let reader: StoreReader
    private let rest: Mutex<Rest>

    /// What is still to be told.
    private enum Rest {
        case rows(RowReport)
        case text([UInt8])
        case nothing
    }

    /// - Throws: ``StoreError``.
    public init(
        _ reader: StoreReader, as format: ReportFormat, of filter: RecordFilter, _ context: ReportContext
    ) throws {
        self.reader = reader
        switch format.writer {
        case .rows(let rows):
            let report = try reader.read { try RowReport(rows, of: filter, context, in: $0) }
            rest = Mutex(.rows(report))
        case .whole:
            var text: [UInt8] = []
            try reader.report(as: format, of: filter, context) { text += $0 }
            rest = Mutex(.text(text))
        }
    }

    /// Nothing more comes.
    public var isOver: Bool {
        rest.withLock { rest in
            if case .nothing = rest { return true }
            return false
        }
    }

    /// The next bytes; nil behind the last. Blocks.
    ///
    /// - Throws: ``StoreError``.
    public func next() throws -> [UInt8]? {
        try rest.withLock { rest in
            let now = rest
            rest = .nothing
            switch now {
            case .rows(var report):
                let piece = try reader.read { try report.piece(in: $0) }
                if !report.hasEnded { rest = .rows(report) }
                return piece
            case .text(let text): return text
            case .nothing: return nil
            }
        }
    }
}
