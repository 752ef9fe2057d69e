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
