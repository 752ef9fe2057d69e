import Text

extension StoreReader {
    /// Workflow commands of GitHub Actions, each with a line end: first errors for what fails the command, then
    /// warnings.
    ///
    /// - Throws: ``StoreError``.
    public func annotations(of filter: RecordFilter, _ context: ReportContext) throws -> [String] {
        var model = ReportModel()
        try forEachGroup(matching: filter, .urls) { try model.add($0) }
        return GitHubReport.lines(model, context.completed(for: model))
    }
}
