import Foundation

/// Files of the repository that contains these tests.
enum Repository {
    /// - Parameter path: The path relative to the repository's root.
    static func file(_ path: String) -> URL {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return top.appending(path: path)
    }
}
