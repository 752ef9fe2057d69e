import Text

extension StoreReader {
    /// Workflow commands of GitHub Actions for what a device refuses or what broke, a line for each host and rule with
    /// its end, the worst first.
    ///
    /// - Parameter isWanted: whether a host and its rule are to be told of.
    /// - Throws: ``StoreError``.
    public func annotations(
        of filter: RecordFilter, _ context: ReportContext, where isWanted: (_ host: String, _ rule: String?) -> Bool
    ) throws -> [String] {
        var model = ReportModel()
        try forEachGroup(matching: filter) { try model.add($0) }
        let context = context.completed(for: model)
        return model.cases.filter { $0.isTrouble && isWanted($0.key.host, $0.key.rule) }.map {
            GitHubReport.command($0, context).line
        }
    }
}
