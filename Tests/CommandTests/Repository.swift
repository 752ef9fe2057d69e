import Foundation

/// Files of the repository that these tests are part of.
enum Repository {
    /// - Parameter path: from the top.
    static func file(_ path: String) -> URL {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return top.appending(path: path)
    }
}
