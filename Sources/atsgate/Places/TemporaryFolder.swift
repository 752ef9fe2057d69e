import Foundation

/// A temporary folder of one run, which only its user can read.
struct TemporaryFolder: Sendable {
    private let url: URL

    /// - Throws: ``CommandFailure`` with 74.
    init() throws(CommandFailure) {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("atsgate-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .output("the folder \(url.path) cannot be created: \(error.systemWords)")
        }
    }

    var path: String { url.path }

    func path(of name: String) -> String { url.appendingPathComponent(name).path }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}
