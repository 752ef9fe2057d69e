extension StoreReader {
    /// Writes what was recorded, a piece at a time. Loads are grouped while they are read, so that a report about them
    /// all costs what is distinct in them; what has something for each load is streamed.
    ///
    /// - Parameter write: takes the next bytes.
    /// - Throws: ``StoreError``, and what `write` throws.
    public func report(
        as format: ReportFormat, of filter: RecordFilter, _ context: ReportContext = ReportContext(),
        to write: ([UInt8]) throws -> Void
    ) throws {
        switch format.writer {
        case .rows(let rows):
            try read { view in
                var report = try RowReport(rows, of: filter, context, in: view)
                try report.write(in: view, write)
            }
        case .whole(let render):
            var model = ReportModel()
            model.agreement = try forEachGroupAndDevice(matching: filter, format == .html ? .whole : .urls) {
                try model.add($0)
            }
            try write(Array(render(model, context.completed(for: model)).utf8))
        }
    }
}
