/// A temporary store, for a run that keeps no store but writes reports.
struct TemporaryStore: Sendable {
    let path: String
    /// The folder's path.
    var folder: String { place.path }
    private let place: TemporaryFolder

    /// - Throws: ``CommandFailure`` with 74.
    init() throws(CommandFailure) {
        place = try TemporaryFolder()
        path = place.path(of: "records.sqlite")
    }

    func remove() { place.remove() }
}
