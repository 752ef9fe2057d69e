import Foundation

/// A store for a run that keeps none and is asked for reports all the same: in a folder of its own, gone afterwards.
struct PassingStore: Sendable {
    let path: String
    private let folder: URL

    /// - Throws: ``CommandFailure`` with 74.
    init() throws(CommandFailure) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("atsgate-\(UUID().uuidString)")
        path = folder.appendingPathComponent("records.sqlite").path
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .output("the folder \(folder.path) cannot be made: \(error.localizedDescription)")
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
