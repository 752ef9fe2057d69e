/// A temporary store, for a run that keeps no store but writes reports.
struct PassingStore: Sendable {
    let path: String
    /// The folder's path.
    var folder: String { place.path }
    private let place: PassingFolder

    /// - Throws: ``CommandFailure`` with 74.
    init() throws(CommandFailure) {
        place = try PassingFolder()
        path = place.path(of: "records.sqlite")
    }

    func remove() { place.remove() }
}
