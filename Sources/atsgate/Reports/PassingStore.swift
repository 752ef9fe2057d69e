/// A store for a run that keeps none and is asked for reports all the same: in a folder of its own, gone afterwards.
struct PassingStore: Sendable {
    let path: String
    private let folder: PassingFolder

    /// - Throws: ``CommandFailure`` with 74.
    init() throws(CommandFailure) {
        folder = try PassingFolder()
        path = folder.path(of: "records.sqlite")
    }

    func remove() { folder.remove() }
}
