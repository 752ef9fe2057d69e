import Reporting

/// The reports that a run was asked for, written one after the other from its store.
struct ReportFiles {
    let requests: [ReportRequest]
    let recording: String

    /// Writes all of them. One that cannot be written keeps no other from it; what went wrong is told on standard error.
    ///
    /// - Parameter storePath: where the run was recorded.
    /// - Returns: whether all were written.
    func write(from storePath: String) -> Bool {
        var isWhole = true
        for request in requests {
            do {
                let reader = try StoreReader(path: storePath)
                try Output.withOutput(to: request.path) { output in
                    try reader.write(
                        request.format, matching: RecordFilter(recording: recording), to: output)
                }
            } catch {
                let words = (error as? CommandFailure)?.sentence ?? "\(error)"
                StandardError.complain("the report \(request.format.rawValue)=\(request.path): \(words)")
                isWhole = false
            }
        }
        return isWhole
    }
}

extension StoreReader {
    /// Writes a report of the loads that meet `filter`.
    ///
    /// - Throws: ``StoreError``, ``Output/Failure``.
    func write(_ format: ReportFormat, matching filter: RecordFilter, to output: Output) throws {
        var renderer = format.renderer(isColoured: wantsColour(on: output.descriptor))
        var pending: [UInt8] = []
        try forEach(matching: filter) { record in
            try renderer.add(record, to: &pending)
            guard pending.count >= chunkBytes else { return }
            try output.write(pending)
            pending.removeAll(keepingCapacity: true)
        }
        renderer.finish(to: &pending)
        try output.write(pending)
    }
}

private let chunkBytes = 65_536
