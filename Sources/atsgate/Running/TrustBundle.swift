import Files
import Foundation
import TLSEngine

/// A PEM file with the roots that a gate trusts and its own CA, in a temporary folder.
struct TrustBundle {
    let path: String
    private let folder: URL

    /// - Parameters:
    ///   - roots: files instead of the platform's bundle; empty for that bundle.
    ///   - extra: additional files.
    init(roots: [String], extra: [String], authorityPEM: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-\(UUID().uuidString)")
        path = folder.appending(path: "roots.pem").path
        let system = roots.isEmpty ? TrustStore.platformBundlePath().map { [$0] } ?? [] : roots
        var text = ""
        do {
            for file in system + extra {
                text += try InputFile.text(of: file) + "\n"
            }
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data((text + authorityPEM).utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure.output("the bundle of roots \(path) cannot be created: \(error)")
        }
    }

    /// Deletes the folder.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
