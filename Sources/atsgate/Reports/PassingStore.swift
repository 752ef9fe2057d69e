/// A store for a run that keeps none and is asked for reports all the same: in a folder of its own, gone afterwards.
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
