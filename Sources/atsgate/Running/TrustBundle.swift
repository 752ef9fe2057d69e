import Files
import Foundation
import TLSEngine

/// One PEM file with the roots that a gate believes and its own CA, in a folder that goes away again.
struct TrustBundle {
    let path: String
    private let folder: URL

    /// - Parameters:
    ///   - roots: files in place of the platform's bundle; empty for that.
    ///   - extra: files beside them.
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
            throw CommandFailure.output("the bundle of roots \(path) cannot be made: \(error)")
        }
    }

    /// Takes the folder away.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
