import Files
import Foundation
import TLSEngine

/// A PEM file with the roots that a gate trusts and its own CA, in a temporary folder.
struct TrustBundle {
    let path: String
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - roots: files instead of the platform's bundle; empty for that bundle.
    ///   - extra: additional files.
    init(roots: [String], extra: [String], authorityPEM: String) throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "roots.pem")
        let system = roots.isEmpty ? TrustStore.platformBundlePath().map { [$0] } ?? [] : roots
        do {
            let texts = try (system + extra).map { try InputFile.text(of: $0) + "\n" }
            try Data((texts.joined() + authorityPEM).utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            folder.remove()
            throw CommandFailure.output("the bundle of roots \(path) cannot be created: \(error)")
        }
    }

    /// Deletes the folder.
    func remove() { folder.remove() }
}
