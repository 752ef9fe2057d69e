import Records
import Text

/// A report with an item for each load, while it is written.
struct RowReport {
    private(set) var hasEnded = false
    private var rows: any LoadRows
    private let query: LoadQuery
    /// The last row that was written.
    private var last: Int64?
    private var pending: [UInt8] = []

    init(_ rows: any LoadRows, of filter: RecordFilter, _ context: ReportContext, in view: StoreView) throws {
        self.rows = rows
        query = try LoadQuery(filter, in: view)
        pending.reserveCapacity(pieceBytes * 2)
        self.rows.begin(context, to: &pending)
    }

    /// The next piece, with the end of the report after the last load.
    mutating func piece(in view: StoreView) throws -> [UInt8] {
        hasEnded = true
        try view.forEachRow(of: query, after: last) { row in
            try add(row)
            hasEnded = pending.count < pieceBytes
            return hasEnded
        }
        if hasEnded { rows.end(to: &pending) }
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }

    /// Writes the whole report from one snapshot.
    ///
    /// - Parameter write: called with the next bytes.
    mutating func write(in view: StoreView, _ write: ([UInt8]) throws -> Void) throws {
        try view.forEachRow(of: query) { row in
            try add(row)
            guard pending.count >= pieceBytes else { return true }
            try write(pending)
            pending.removeAll(keepingCapacity: true)
            return true
        }
        rows.end(to: &pending)
        try write(pending)
    }

    private mutating func add(_ row: LoadRow) throws {
        last = row.place.number
        try rows.add(row, to: &pending)
    }
}

extension StoreReader {
    /// Writes a report, piece by piece. Formats that summarise need memory for groups of loads only; formats with an
    /// item for each load are streamed.
    ///
    /// - Parameter write: called with the next bytes.
    /// - Throws: ``StoreError``, and what `write` throws.
    public func report(
        as format: ReportFormat, of filter: RecordFilter, _ context: ReportContext = ReportContext(),
        to write: ([UInt8]) throws -> Void
    ) throws {
        switch format.writer {
        case .rows(let rows):
            try read(.loads(filter)) { view in
                var report = try RowReport(rows, of: filter, context, in: view)
                try report.write(in: view, write)
            }
        case .whole: try write(Array((try grouped(filter, context).text(as: format) ?? "").utf8))
        }
    }
}

private let pieceBytes = 65_536
