import Foundation

/// A folder of one run's own among the system's temporary files, which only its user can read.
struct PassingFolder: Sendable {
    private let url: URL

    /// - Throws: ``CommandFailure`` with 74.
    init() throws(CommandFailure) {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("atsgate-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .output("the folder \(url.path) cannot be made: \(error.systemWords)")
        }
    }

    var path: String { url.path }

    func path(of name: String) -> String { url.appendingPathComponent(name).path }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}
